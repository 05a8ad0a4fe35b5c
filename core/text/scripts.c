#include "text/scripts.h"

#include <stddef.h>
#include <string.h>
#include <unictype.h>

/* Languages that are not written with Latin letters alone, by the first part of their
 * names. */
static const struct {
    const char *languages; /* blanks around each */
    const char *scripts;   /* blanks around each */
} written[] = {
    {" ar fa ku ps sd ug ur ", " Arabic "},
    {" as bn bpy ", " Bengali "},
    {" am ti ", " Ethiopic "},
    {" ba be bg cv kk ky mk mn nog ru sr tg tk tt uk uz ", " Cyrillic "},
    {" chr ", " Cherokee "},
    {" cmn hak yue zh ", " Han Bopomofo "},
    {" el grc ", " Greek "},
    {" gu ", " Gujarati "},
    {" he ", " Hebrew "},
    {" hi kok mr ne ", " Devanagari "},
    {" hy hyw ", " Armenian "},
    {" ja ", " Han Hiragana Katakana "},
    {" ka ", " Georgian "},
    {" kn ", " Kannada "},
    {" ko ", " Hangul "},
    {" ml ", " Malayalam "},
    {" my shn ", " Myanmar "},
    {" or ", " Oriya "},
    {" pa ", " Gurmukhi "},
    {" si ", " Sinhala "},
    {" syc ", " Syriac "},
    {" ta ", " Tamil "},
    {" te ", " Telugu "},
    {" th ", " Thai "},
};

static bool is_listed(const char *list, const char *name, size_t n) {
    for (const char *at = list; (at = strstr(at, " ")) && at[1]; at++)
        if (strncmp(at + 1, name, n) == 0 && at[1 + n] == ' ')
            return true;
    return false;
}

bool taco_script_fits(const char *language, uint32_t cp) {
    if (cp < 0x100)
        return true; /* Latin, and halves and squares */
    const uc_script_t *script = uc_script(cp);
    if (!script)
        return false;
    if (strcmp(script->name, "Latin") == 0)
        return true;
    /* Marks that any script may use, such as the acute accent; but letters alone that are
     * counted to no script are mathematics. */
    if (strcmp(script->name, "Inherited") == 0)
        return true;
    if (!uc_is_general_category_withtable(cp, UC_CATEGORY_MASK_L | UC_CATEGORY_MASK_Nd |
                                                  UC_CATEGORY_MASK_M)) {
        static const uint32_t symbols[] = {0x2030, 0x20AC, 0x20B9, 0x2212, 0x221E, 0x2248,
                                           0x2260, 0x2264, 0x2265, 0x3001, 0x3002};
        for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
            if (symbols[i] == cp)
                return true;
        if (!uc_is_general_category_withtable(cp, UC_CATEGORY_MASK_P))
            return false;
    }
    size_t n = strcspn(language, "-_");
    for (size_t i = 0; i < sizeof written / sizeof *written; i++)
        if (is_listed(written[i].languages, language, n))
            return is_listed(written[i].scripts, script->name, strlen(script->name)) ||
                   strcmp(script->name, "Common") == 0;
    return false;
}
