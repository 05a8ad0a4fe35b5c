/* Small pieces of page. Text is always set as text, never as markup. */

export function make(tag, className, text) {
    const element = document.createElement(tag);
    if (className) {
        element.className = className;
    }
    element.textContent = text;
    return element;
}

/* [[term, value]] as a list of definitions. */
export function facts(pairs) {
    const element = make("dl", "facts", "");
    for (const [term, value] of pairs) {
        element.append(make("dt", "", term), make("dd", "", value));
    }
    return element;
}

/* Lines as a list of points. */
export function list(lines, className = "") {
    const element = make("ul", className, "");
    element.append(...lines.map((line) => make("li", "", line)));
    return element;
}
