#include "text/abbreviations.h"

#include <stddef.h>
#include <string.h>

/* Short names for the table. */
#define NEVER TACO_ABBREVIATION_NEVER
#define SELDOM TACO_ABBREVIATION_SELDOM
#define CAPITAL TACO_ABBREVIATION_CAPITAL
#define ANY TACO_PLACE_ANY
#define BEFORE_NUMBER TACO_PLACE_BEFORE_NUMBER
#define AFTER_NUMBER TACO_PLACE_AFTER_NUMBER
#define BEFORE_NAME TACO_PLACE_BEFORE_NAME
#define AFTER_NAME TACO_PLACE_AFTER_NAME
#define AFTER_STREET TACO_PLACE_AFTER_STREET
#define BETWEEN_NAMES TACO_PLACE_BETWEEN_NAMES
#define BEFORE_ROMAN TACO_PLACE_BEFORE_ROMAN

/* Sorted by text. */
static const struct taco_abbreviation abbreviations[] = {
    {"adm", "admiral", NEVER, BEFORE_NAME},
    {"al", "al", SELDOM, ANY},
    {"approx", "approximately", NEVER, ANY},
    {"apr", "april", SELDOM, ANY},
    {"apt", "apartment", NEVER, BEFORE_NUMBER},
    {"assn", "association", SELDOM, ANY},
    {"asst", "assistant", NEVER, ANY},
    {"aug", "august", SELDOM, ANY},
    {"ave", "avenue", SELDOM, ANY},
    {"bldg", "building", SELDOM, ANY},
    {"blvd", "boulevard", SELDOM, ANY},
    {"brig", "brigadier", NEVER, BEFORE_NAME},
    {"bros", "brothers", SELDOM, ANY},
    {"ca", "circa", NEVER, BEFORE_NUMBER},
    {"capt", "captain", NEVER, ANY},
    {"cf", "compare", NEVER, ANY},
    {"ch", "chapter", NEVER, BEFORE_NUMBER},
    {"ch", "chapter", NEVER, BEFORE_ROMAN},
    {"chas", "charles", NEVER, BEFORE_NAME},
    {"cm", "centimeters", SELDOM, AFTER_NUMBER},
    {"cmdr", "commander", NEVER, ANY},
    {"co", "company", SELDOM, ANY},
    {"col", "colonel", NEVER, BEFORE_NAME},
    {"comdr", "commander", NEVER, ANY},
    {"corp", "corporation", SELDOM, ANY},
    {"cpl", "corporal", NEVER, ANY},
    {"cu", "cubic", NEVER, AFTER_NUMBER},
    {"cwt", "hundredweight", SELDOM, AFTER_NUMBER},
    {"dec", "december", SELDOM, BEFORE_NUMBER},
    {"dec", "december", SELDOM, AFTER_NUMBER},
    {"dept", "department", SELDOM, ANY},
    {"dr", "drive", SELDOM, AFTER_STREET},
    {"dr", "doctor", NEVER, ANY},
    {"drs", "doctors", NEVER, ANY},
    {"ed", "edition", SELDOM, AFTER_NUMBER},
    {"esq", "esquire", SELDOM, ANY},
    {"est", "established", NEVER, BEFORE_NUMBER},
    {"etc", "et cetera", CAPITAL, ANY},
    {"ext", "extension", NEVER, BEFORE_NUMBER},
    {"feb", "february", SELDOM, ANY},
    {"fig", "figure", NEVER, BEFORE_NUMBER},
    {"figs", "figures", NEVER, BEFORE_NUMBER},
    {"fri", "friday", SELDOM, ANY},
    {"ft", "feet", SELDOM, AFTER_NUMBER},
    {"ft", "fort", NEVER, BEFORE_NAME},
    {"gal", "gallons", SELDOM, AFTER_NUMBER},
    {"gen", "general", NEVER, BEFORE_NAME},
    {"geo", "george", NEVER, BEFORE_NAME},
    {"gov", "governor", NEVER, BEFORE_NAME},
    {"hon", "honorable", NEVER, BEFORE_NAME},
    {"hr", "hours", SELDOM, AFTER_NUMBER},
    {"hrs", "hours", SELDOM, AFTER_NUMBER},
    {"hwy", "highway", NEVER, ANY},
    {"ibid", "ibidem", SELDOM, ANY},
    {"in", "inches", SELDOM, AFTER_NUMBER},
    {"inc", "incorporated", SELDOM, ANY},
    {"jan", "january", SELDOM, BEFORE_NUMBER},
    {"jan", "january", SELDOM, AFTER_NUMBER},
    {"jas", "james", NEVER, BEFORE_NAME},
    {"jr", "junior", SELDOM, ANY},
    {"jul", "july", SELDOM, ANY},
    {"jun", "june", SELDOM, ANY},
    {"kg", "kilograms", SELDOM, AFTER_NUMBER},
    {"km", "kilometers", SELDOM, AFTER_NUMBER},
    {"lb", "pounds", SELDOM, AFTER_NUMBER},
    {"lbs", "pounds", SELDOM, AFTER_NUMBER},
    {"lieut", "lieutenant", NEVER, BEFORE_NAME},
    {"ln", "lane", SELDOM, AFTER_NAME},
    {"lt", "lieutenant", NEVER, BEFORE_NAME},
    {"ltd", "limited", SELDOM, ANY},
    {"maj", "major", NEVER, BEFORE_NAME},
    {"mar", "march", SELDOM, BEFORE_NUMBER},
    {"max", "maximum", SELDOM, BEFORE_NUMBER},
    {"messrs", "messieurs", NEVER, ANY},
    {"mi", "miles", SELDOM, AFTER_NUMBER},
    {"min", "minutes", SELDOM, AFTER_NUMBER},
    {"min", "minimum", NEVER, BEFORE_NUMBER},
    {"misc", "miscellaneous", NEVER, ANY},
    {"mm", "millimeters", SELDOM, AFTER_NUMBER},
    {"mr", "mister", NEVER, ANY},
    {"mrs", "missus", NEVER, ANY},
    {"ms", "miz", NEVER, BEFORE_NAME},
    {"mt", "mount", NEVER, BEFORE_NAME},
    {"no", "number", NEVER, BEFORE_NUMBER},
    {"nos", "numbers", NEVER, BEFORE_NUMBER},
    {"nov", "november", SELDOM, ANY},
    {"oct", "october", SELDOM, ANY},
    {"oz", "ounces", SELDOM, AFTER_NUMBER},
    {"p", "page", NEVER, BEFORE_NUMBER},
    {"pl", "place", SELDOM, AFTER_NAME},
    {"pp", "pages", NEVER, BEFORE_NUMBER},
    {"pres", "president", NEVER, BEFORE_NAME},
    {"prof", "professor", NEVER, BEFORE_NAME},
    {"pt", "part", NEVER, BEFORE_NUMBER},
    {"pt", "pints", SELDOM, AFTER_NUMBER},
    {"pt", "part", NEVER, BEFORE_ROMAN},
    {"pvt", "private", NEVER, BEFORE_NAME},
    {"qt", "quarts", SELDOM, AFTER_NUMBER},
    {"rd", "road", SELDOM, AFTER_NAME},
    {"rep", "representative", NEVER, BEFORE_NAME},
    {"rev", "reverend", NEVER, BEFORE_NAME},
    {"robt", "robert", NEVER, BEFORE_NAME},
    {"sat", "saturday", SELDOM, BEFORE_NUMBER},
    {"sec", "seconds", SELDOM, AFTER_NUMBER},
    {"sec", "section", NEVER, BEFORE_NUMBER},
    {"secs", "seconds", SELDOM, AFTER_NUMBER},
    {"sen", "senator", NEVER, BEFORE_NAME},
    {"sep", "september", SELDOM, BEFORE_NUMBER},
    {"sept", "september", SELDOM, ANY},
    {"sergt", "sergeant", NEVER, BEFORE_NAME},
    {"sgt", "sergeant", NEVER, ANY},
    {"sq", "square", NEVER, AFTER_NUMBER},
    {"sr", "senior", SELDOM, AFTER_NAME},
    {"st", "street", SELDOM, AFTER_STREET},
    {"st", "saint", NEVER, BEFORE_NAME},
    {"st", "street", SELDOM, ANY},
    {"ste", "sainte", NEVER, BEFORE_NAME},
    {"supt", "superintendent", NEVER, BEFORE_NAME},
    {"tbsp", "tablespoons", SELDOM, AFTER_NUMBER},
    {"tel", "telephone", NEVER, BEFORE_NUMBER},
    {"thos", "thomas", NEVER, BEFORE_NAME},
    {"thu", "thursday", SELDOM, ANY},
    {"thurs", "thursday", SELDOM, ANY},
    {"tsp", "teaspoons", SELDOM, AFTER_NUMBER},
    {"tue", "tuesday", SELDOM, ANY},
    {"tues", "tuesday", SELDOM, ANY},
    {"univ", "university", SELDOM, ANY},
    {"v", "versus", NEVER, BETWEEN_NAMES},
    {"vol", "volume", NEVER, BEFORE_NUMBER},
    {"vol", "volume", NEVER, BEFORE_ROMAN},
    {"vols", "volumes", NEVER, BEFORE_NUMBER},
    {"vs", "versus", NEVER, ANY},
    {"wed", "wednesday", SELDOM, BEFORE_NUMBER},
    {"wm", "william", NEVER, BEFORE_NAME},
    {"wt", "weight", SELDOM, ANY},
    {"yd", "yards", SELDOM, AFTER_NUMBER},
    {"yds", "yards", SELDOM, AFTER_NUMBER},
    {"yr", "years", SELDOM, AFTER_NUMBER},
    {"yrs", "years", SELDOM, AFTER_NUMBER},
};

enum { N_ABBREVIATIONS = sizeof abbreviations / sizeof *abbreviations };

/* The table is in lower case. */
static int compare(const char *entry, const char *text) {
    for (;; entry++, text++) {
        char c = *text;
        if (c >= 'A' && c <= 'Z')
            c = (char)(c - 'A' + 'a');
        if (*entry != c || !c)
            return (unsigned char)*entry - (unsigned char)c;
    }
}

const struct taco_abbreviation *taco_abbreviation_find(const char *text) {
    size_t low = 0, high = N_ABBREVIATIONS;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (compare(abbreviations[middle].text, text) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == N_ABBREVIATIONS || compare(abbreviations[low].text, text) != 0)
        return NULL;
    return &abbreviations[low];
}

const struct taco_abbreviation *
taco_abbreviation_next(const struct taco_abbreviation *entry) {
    const struct taco_abbreviation *next = entry + 1;
    return next < abbreviations + N_ABBREVIATIONS && strcmp(next->text, entry->text) == 0
               ? next
               : NULL;
}
