/* The alignment as SVG: a panel a chunk, seconds to the right, symbols from the bottom
 * up, words below. Presentation attributes only, so that it shows under any content
 * policy. */
#include "engine/result_forms.h"
#include <math.h>
#include <string.h>
#include <taco/voice.h>

enum {
    MARGIN = 16,
    LABEL_WIDTH = 48,
    CAPTION_HEIGHT = 26,
    AXIS_HEIGHT = 18,
    WORD_HEIGHT = 15, /* a line of words; there are two, taken in turns */
    PANEL_GAP = 22,
    COMFORTABLE_WIDTH = 960,
    TICK_DISTANCE = 56, /* pixels at least */
    N_LEVELS = 8
};

struct panel {
    const struct taco_result *result;
    uint32_t chunk;
    uint32_t n_steps, n_symbols;
    uint32_t cell_w, cell_h; /* pixels of a step, of a symbol */
    uint32_t top;            /* of the caption */
    double start;            /* seconds, of the chunk */
    double step_seconds;
};

/* Pixels of a step: the longest chunk fills the width, the others have its scale. */
static uint32_t cell_width(const struct taco_result *result) {
    uint32_t longest = 1;
    for (uint32_t i = 0; i < result->n_chunks; i++)
        if (result->chunks[i].n_steps > longest)
            longest = result->chunks[i].n_steps;
    uint32_t w = COMFORTABLE_WIDTH / longest;
    return w < 1 ? 1 : w > 6 ? 6 : w;
}

static struct panel make_panel(const struct taco_result *result, uint32_t i, uint32_t w,
                               uint32_t top) {
    const struct taco_voice_info *voice = taco_voice_info(result->voice);
    const struct taco_chunk_result *chunk = &result->chunks[i];
    return (struct panel){
        .result = result,
        .chunk = i,
        .n_steps = chunk->n_steps,
        .n_symbols = chunk->n_symbols,
        .cell_w = w < 1   ? 1
                  : w > 6 ? 6
                          : w,
        .cell_h = chunk->n_symbols <= 120 ? 12 : 9,
        .top = top,
        .start = (double)chunk->first_sample / result->sample_rate,
        .step_seconds = (double)voice->n_frames_per_step * voice->hop_length /
                        ((double)chunk->speed * result->sample_rate),
    };
}

static uint32_t plot_width(const struct panel *p) {
    return p->n_steps * p->cell_w;
}

static uint32_t plot_height(const struct panel *p) {
    return p->n_symbols * p->cell_h;
}

static uint32_t plot_left(void) {
    return MARGIN + LABEL_WIDTH;
}

static uint32_t plot_top(const struct panel *p) {
    return p->top + CAPTION_HEIGHT;
}

static uint32_t panel_height(const struct panel *p) {
    return CAPTION_HEIGHT + plot_height(p) + AXIS_HEIGHT + 2 * WORD_HEIGHT + PANEL_GAP;
}

/* Pixels from the plot's left edge. */
static double x_of(const struct panel *p, double seconds) {
    double x = (seconds - p->start) / p->step_seconds * p->cell_w;
    return fmin(fmax(x, 0.0), plot_width(p));
}

static void add_span(const struct taco_result *result, const struct taco_span *span,
                     struct taco_buffer *out) {
    taco_buffer_xml(out, result->text->source + span->begin, span->end - span->begin);
}

static int level_of(float weight) {
    int level = (int)lrintf(weight * N_LEVELS);
    return level < 0 ? 0 : level > N_LEVELS ? N_LEVELS : level;
}

/* One path a level of weight; a run of steps on one symbol is one rectangle. Coordinates
 * count cells. */
static void write_cells(const struct panel *p, struct taco_buffer *out) {
    const float *alignment = p->result->chunks[p->chunk].alignment;
    uint32_t n = p->n_symbols;
    taco_buffer_format(out,
                       "<g transform=\"translate(%u %u) scale(%u %u)\" fill=\"#14508c\" "
                       "shape-rendering=\"crispEdges\">\n",
                       plot_left(), plot_top(p), p->cell_w, p->cell_h);
    for (int level = 1; level <= N_LEVELS; level++) {
        bool any = false;
        for (uint32_t j = 0; j < n; j++) {
            for (uint32_t t = 0; t < p->n_steps; t++) {
                uint32_t begin = t;
                while (t < p->n_steps && level_of(alignment[(size_t)t * n + j]) == level)
                    t++;
                if (t == begin)
                    continue;
                if (!any) {
                    taco_buffer_text(out, "<path fill-opacity=\"");
                    taco_buffer_decimal(out, (double)level / N_LEVELS, 3);
                    taco_buffer_text(out, "\" d=\"");
                }
                any = true;
                taco_buffer_format(out, "M%u %uh%uv1h-%uz", begin, n - 1 - j, t - begin,
                                   t - begin);
            }
        }
        if (any)
            taco_buffer_text(out, "\"/>\n");
    }
    taco_buffer_text(out, "</g>\n");
}

static void write_labels(const struct panel *p, struct taco_buffer *out) {
    const struct taco_text *text = p->result->text;
    taco_buffer_format(out,
                       "<g font-family=\"monospace\" font-size=\"%u\" "
                       "text-anchor=\"end\">\n",
                       p->cell_h - 2);
    for (uint32_t j = 0; j < p->n_symbols; j++) {
        uint32_t y = plot_top(p) + (p->n_symbols - j) * p->cell_h - p->cell_h / 4;
        const char *name =
            taco_result_symbol_name(p->result, text->chunks[p->chunk].first_symbol + j);
        taco_buffer_format(out, "<text x=\"%u\" y=\"%u\">", plot_left() - 6, y);
        if (strcmp(name, " ") == 0)
            taco_buffer_text(out, "\xE2\x90\xA3"); /* a visible blank */
        else
            taco_buffer_xml(out, name, strlen(name));
        taco_buffer_text(out, "</text>\n");
    }
    taco_buffer_text(out, "</g>\n");
}

static void write_axis(const struct panel *p, struct taco_buffer *out) {
    static const double distances[] = {0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10};
    size_t i = 0;
    while (i + 1 < sizeof distances / sizeof *distances &&
           distances[i] / p->step_seconds * p->cell_w < TICK_DISTANCE)
        i++;
    double distance = distances[i], end = p->start + p->n_steps * p->step_seconds;
    uint32_t y = plot_top(p) + plot_height(p);
    taco_buffer_text(out, "<g font-size=\"10\" text-anchor=\"middle\" fill=\"#555\">\n");
    for (double k = ceil(p->start / distance - 1e-9); k * distance <= end + 1e-9; k++) {
        double x = plot_left() + x_of(p, k * distance);
        taco_buffer_text(out, "<path stroke=\"#999\" d=\"M");
        taco_buffer_decimal(out, x, 1);
        taco_buffer_format(out, " %uv4\"/><text x=\"", y);
        taco_buffer_decimal(out, x, 1);
        taco_buffer_format(out, "\" y=\"%u\">", y + 14);
        taco_buffer_decimal(out, fabs(k * distance), distance < 0.1 ? 2 : 1);
        taco_buffer_text(out, " s</text>\n");
    }
    taco_buffer_text(out, "</g>\n");
}

static void write_words(const struct panel *p, struct taco_buffer *out) {
    const struct taco_text *text = p->result->text;
    const struct taco_chunk *chunk = &text->chunks[p->chunk];
    uint32_t y = plot_top(p) + plot_height(p) + AXIS_HEIGHT;
    taco_buffer_text(out, "<g font-size=\"11\" text-anchor=\"middle\">\n");
    for (uint32_t i = 0; i < chunk->n_words; i++) {
        uint32_t w = chunk->first_word + i;
        const struct taco_times *times = &p->result->words[w];
        double a = plot_left() + x_of(p, times->start);
        double b = plot_left() + x_of(p, times->end);
        if (text->words[w].n_symbols == 0)
            continue;
        taco_buffer_text(out, "<path stroke=\"#ccc\" stroke-dasharray=\"2 3\" d=\"M");
        taco_buffer_decimal(out, a, 1);
        taco_buffer_format(out, " %uV%u\"/><text x=\"", plot_top(p), y);
        taco_buffer_decimal(out, (a + b) / 2, 1);
        taco_buffer_format(out, "\" y=\"%u\">", y + WORD_HEIGHT * (1 + i % 2) - 3);
        add_span(p->result, &text->words[w].span, out);
        taco_buffer_text(out, "</text>\n");
    }
    taco_buffer_text(out, "</g>\n");
}

static void write_panel(const struct panel *p, struct taco_buffer *out) {
    const struct taco_result *result = p->result;
    taco_buffer_text(out, "<g>\n<title>");
    add_span(result, &result->text->chunks[p->chunk].span, out);
    taco_buffer_format(out, "</title>\n<text x=\"%u\" y=\"%u\" font-size=\"13\">",
                       plot_left(), p->top + 16);
    add_span(result, &result->text->chunks[p->chunk].span, out);
    taco_buffer_text(out, "</text>\n");
    write_words(p, out); /* their lines lie behind the cells */
    write_cells(p, out);
    taco_buffer_format(out,
                       "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" fill=\"none\" "
                       "stroke=\"#999\"/>\n",
                       plot_left(), plot_top(p), plot_width(p), plot_height(p));
    write_labels(p, out);
    write_axis(p, out);
    taco_buffer_text(out, "</g>\n");
}

/* What a screen reader says of the picture. */
static void write_description(const struct taco_result *result, struct taco_buffer *out) {
    const struct taco_diagnostics *d = &result->diagnostics;
    taco_buffer_text(out, "<title id=\"title\">Attention alignment of: ");
    taco_buffer_xml(out, result->text->source,
                    result->text->source_length < 300 ? result->text->source_length : 0);
    if (result->text->source_length >= 300)
        taco_buffer_format(out, "a text of %u words", result->text->n_words);
    taco_buffer_text(out, "</title>\n<desc id=\"desc\">Voice ");
    taco_buffer_text(out, taco_voice_info(result->voice)->name);
    taco_buffer_text(out, ", ");
    taco_buffer_decimal(out, taco_result_duration(result), 2);
    taco_buffer_format(out, " seconds, %llu decoder steps over %u symbols. Coverage ",
                       (unsigned long long)taco_result_n_steps(result),
                       result->text->n_symbols);
    taco_buffer_decimal(out, (double)d->coverage, 2);
    taco_buffer_text(out, ", focus ");
    taco_buffer_decimal(out, (double)d->focus, 2);
    taco_buffer_format(out, ", %u backward jumps: the attention %s.</desc>\n",
                       d->backward_jumps,
                       d->ok ? "read the text from beginning to end" : "failed");
}

enum taco_status taco_result_write_svg(const struct taco_result *result,
                                       const struct taco_format_options *options,
                                       struct taco_buffer *out, struct taco_error *err) {
    (void)options;
    (void)err;
    uint32_t width = 0, height = MARGIN, cell_w = cell_width(result);
    for (uint32_t i = 0; i < result->n_chunks; i++) {
        struct panel panel = make_panel(result, i, cell_w, height);
        height += panel_height(&panel);
        if (plot_width(&panel) > width)
            width = plot_width(&panel);
    }
    width += 2 * MARGIN + LABEL_WIDTH;
    taco_buffer_format(out,
                       "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" "
                       "height=\"%u\" viewBox=\"0 0 %u %u\" role=\"img\" "
                       "aria-labelledby=\"title desc\" font-family=\"sans-serif\">\n",
                       width, height, width, height);
    write_description(result, out);
    taco_buffer_text(out, "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
    uint32_t top = MARGIN;
    for (uint32_t i = 0; i < result->n_chunks && taco_buffer_may_hold(out, 0); i++) {
        struct panel panel = make_panel(result, i, cell_w, top);
        write_panel(&panel, out);
        top += panel_height(&panel);
    }
    taco_buffer_text(out, "</svg>\n");
    return TACO_OK;
}
