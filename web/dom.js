/* Small pieces of page. Text is always set as text, never as markup. */

export function make(tag, className, text) {
    const element = document.createElement(tag);
    if (className) {
        element.className = className;
    }
    element.textContent = text;
    return element;
}

/* An element with attributes and children: strings are text, a function is a listener
 * (onclick: ...), true is an attribute without a value, false and null leave it out. */
export function build(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (typeof value === "function") {
            element.addEventListener(name.slice(2), value);
        } else if (value !== false && value !== null && value !== undefined) {
            element.setAttribute(name, value === true ? "" : value);
        }
    }
    element.append(...children);
    return element;
}

/* A button that is no submit button. */
export function button(className, text, onclick, attributes = {}) {
    return build("button", { type: "button", class: className || null, onclick, ...attributes }, text);
}

let lastId = 0;

/* An id that nothing else on the page has: for labels and descriptions. */
export function uniqueId(name) {
    lastId++;
    return `${name}-${lastId}`;
}

/* [[term, value]] as a list of definitions. */
export function facts(pairs) {
    const element = make("dl", "facts", "");
    for (const [term, value] of pairs) {
        element.append(make("dt", "", term), make("dd", "", value));
    }
    return element;
}

/* Lines, or elements, as a list of points. */
export function list(lines, className = "") {
    const element = make("ul", className, "");
    for (const line of lines) {
        const item = make("li", "", "");
        item.append(line);
        element.append(item);
    }
    return element;
}

/* Hands a blob to the browser's downloads. */
export function save(blob, file) {
    const link = build("a", { href: URL.createObjectURL(blob), download: file });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

/* A function that acts when it has not been called for a while; cancel() takes the call back. */
export function debounce(act, milliseconds) {
    let timer = 0;
    const call = () => {
        clearTimeout(timer);
        timer = setTimeout(act, milliseconds);
    };
    call.cancel = () => clearTimeout(timer);
    return call;
}
