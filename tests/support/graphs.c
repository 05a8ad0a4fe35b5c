#include "support/graphs.h"

#define MODEL(...) "{'model': {" __VA_ARGS__ "}}"
#define ATTENTION(...) MODEL("'attention': {" __VA_ARGS__ "}")
/* in place of the default's location attention */
#define NO_LOCATION                                                                      \
    "'location_n_filters': null, 'location_kernel_size': null, 'location_channels': "    \
    "null"
#define GMM(components)                                                                  \
    "'type': 'gmm', 'dim': null, 'gmm_components': " components ", " NO_LOCATION
#define DYNAMIC(kernel, prior)                                                           \
    "'type': 'dynamic_convolution', 'dynamic_n_filters': 4, "                            \
    "'dynamic_kernel_size': " kernel ", 'prior_length': " prior ", " NO_LOCATION
#define COQUI "'type': 'forward', 'forward_rule': 'coqui'"
#define ESPNET                                                                           \
    "'type': 'forward', 'forward_rule': 'espnet', 'location_channels': ['prev'],"        \
    " 'start': 'one_hot'"

/* -- mechanisms beside location, forward, gmm and dynamic_convolution -------------- */

#define FEATURES                                                                         \
    "'dim': 9, 'location_n_filters': 3, 'location_kernel_size': 5,"                      \
    " 'location_channels': ['prev', 'cum']"
#define HEADS                                                                            \
    "'type': 'multi_head', 'n_heads': 3, 'dim': 5, 'value_dim': 4, 'head_score': "

#define ADDITIVE "'type': 'additive', 'dim': 9, 'scale': 2, 'v_bias': true"
#define LOCATION_ONLY "'type': 'location_only', 'memory_bias': true, " FEATURES
#define DOT "'type': 'dot', 'dim': 9, 'tanh': true, 'query_bias': true"
#define SCALED_DOT                                                                       \
    "'type': 'scaled_dot', 'dim': 9, 'query_bias': true, 'memory_bias': true"
#define GENERAL "'type': 'general'"
#define CONCAT "'type': 'concat', 'dim': 9"
#define COSINE "'type': 'cosine', 'dim': 9"
#define HEADS_DOT HEADS "'dot', 'tanh': true, 'query_bias': true"
#define HEADS_SCALED                                                                     \
    HEADS "'scaled_dot', 'query_bias': true, 'memory_bias': true, 'value_bias': true,"   \
          " 'output_bias': true"
#define HEADS_ADDITIVE HEADS "'additive', 'scale': 0.5"
#define HEADS_LOCATION                                                                   \
    HEADS "'location', 'location_n_filters': 2, 'location_kernel_size': 5,"              \
          " 'start': 'uniform'"
#define LOCAL_P "'type': 'local_p', 'dim': 9, 'local_width': 3"
#define LOCAL_M "'type': 'local_m', 'dim': 9, 'local_width': 3, 'pace': 0.43"
#define LOCAL_LEARNT "'type': 'local_m', 'dim': 9, 'local_width': 1, 'pace_learnt': true"
#define HARD "'type': 'hard', " FEATURES
#define DRAWN "'type': 'hard', 'draw': true, " FEATURES
#define MONOTONIC "'type': 'monotonic', 'v_bias': true, " FEATURES
#define STEPWISE "'type': 'stepwise', 'v_bias': true, 'dim': 9, 'location_n_filters': 0"
#define STATIC "'type': 'static', 'dim': 9, 'memory_bias': true"
#define COVERAGE "'type': 'coverage', 'dim': 9, 'start': 'uniform', 'start_in_sum': true"
#define HIERARCHICAL "'type': 'hierarchical', 'dim': 9, 'word_ends': [0, 2, 4]"

/* In place of all settings of the default's location attention. */
#define MECHANISM(...) MODEL("'attention': {" NO_LOCATION ", " __VA_ARGS__ "}")
#define OTHER(name, ...) "'" name "': {" __VA_ARGS__ "}, "

const struct test_graph test_graphs[] = {
    {"location", NULL},
    {"location, of the sum, from uniform",
     ATTENTION("'location_channels': ['cum'], 'start': 'uniform'")},
    {"location, of the weights, from one-hot",
     ATTENTION("'location_channels': ['prev'], 'start': 'one_hot'")},
    {"location, both, from uniform", ATTENTION("'start': 'uniform'")},
    {"location, of the sum, from one-hot",
     ATTENTION("'location_channels': ['cum'], 'start': 'one_hot'")},
    {"no location features",
     ATTENTION("'location_n_filters': 0, 'location_kernel_size': null,"
               " 'location_channels': null")},
    {"sigmoid, biases",
     ATTENTION("'normaliser': 'sigmoid', 'v_bias': true, 'memory_bias': true")},
    {"window of Coqui",
     ATTENTION("'window': 'coqui', 'window_back': 2, 'window_forward': 6")},
    {"window of Coqui, sigmoid",
     ATTENTION("'normaliser': 'sigmoid', 'window': 'coqui', 'window_back': 2,"
               " 'window_forward': 6")},
    {"window of ESPnet",
     ATTENTION("'window': 'espnet', 'window_back': 1, 'window_forward': 3")},
    {"window of one symbol",
     ATTENTION("'window': 'espnet', 'window_back': 0, 'window_forward': 1")},
    {"empty windows",
     ATTENTION("'window': 'coqui', 'window_back': 0, 'window_forward': 0")},
    {"forward of Coqui", ATTENTION(COQUI)},
    {"forward of Coqui, mask", ATTENTION(COQUI ", 'forward_mask': true")},
    {"forward of Coqui, mask, agent, sigmoid",
     ATTENTION(COQUI ", 'forward_mask': true, 'transition_agent': true,"
                     " 'normaliser': 'sigmoid', 'v_bias': true")},
    {"forward of Coqui, agent, window",
     ATTENTION(COQUI ", 'transition_agent': true, 'window': 'coqui', 'window_back': 2,"
                     " 'window_forward': 6")},
    {"forward of ESPnet", ATTENTION(ESPNET)},
    {"forward of ESPnet, agent", ATTENTION(ESPNET ", 'transition_agent': true")},
    {"mixture", ATTENTION(GMM("3"))},
    {"mixture of one", ATTENTION(GMM("1"))},
    {"dynamic convolution", ATTENTION(DYNAMIC("9", "5"))},
    {"dynamic convolution, long prior, one tap", ATTENTION(DYNAMIC("1", "30"))},

    {"graph of ESPnet",
     MODEL("'attention_first': true, 'decoder_rnn_context': false, 'zoneout': 0.1,"
           " 'prenet_bias': true, 'gate_inclusive': true,"
           " 'attention': {'location_channels': ['cum'], 'start': 'uniform',"
           " 'memory_bias': true, 'v_bias': true}")},
    {"graph of ESPnet, forward, agent, three frames",
     MODEL("'attention_first': true, 'decoder_rnn_context': false, 'zoneout': 0.1,"
           " 'n_frames_per_step': 3, 'gate_dim': 3, 'encoder_residual': true,"
           " 'attention': {" ESPNET ", 'transition_agent': true}")},
    {"attention first, context to both",
     MODEL("'attention_first': true, 'attention': {" COQUI
           ", 'transition_agent': true}")},
    {"context to the first only", MODEL("'decoder_rnn_context': false, 'zoneout': 0.3")},
    {"graph of Coqui, two frames",
     MODEL("'n_frames_per_step': 2, 'prenet_dropout': 0, 'min_steps': 2,"
           " 'attention': {'normaliser': 'sigmoid', 'v_bias': true}")},
    {"all frames to the prenet, one prenet layer",
     MODEL("'n_frames_per_step': 3, 'prenet_all_frames': true, 'prenet_dims': [18]")},
    {"four prenet layers, no encoder convolution, no postnet",
     MODEL("'prenet_dims': [9, 33, 17, 5], 'encoder_n_convolutions': 0,"
           " 'postnet_n_convolutions': 0")},
    {"one postnet layer, wide kernel",
     MODEL("'postnet_n_convolutions': 1, 'postnet_kernel_size': 9,"
           " 'encoder_n_convolutions': 1, 'encoder_conv_dim': 19")},
    {"speakers behind",
     "{'speakers': ['a', 'b', 'c'], 'model': {'speaker_mode': 'concat',"
     " 'speaker_embedding_dim': 7}}"},
    {"speakers added", "{'speakers': ['a', 'b'], 'model': {'speaker_mode': 'add',"
                       " 'speaker_embedding_dim': 24}}"},

    {"self-attention behind the encoder's LSTM",
     MODEL("'encoder_attention_layers': 2, 'encoder_attention_heads': 3,"
           " 'encoder_attention_dim': 10")},
    {"self-attention in place of the encoder's LSTM, causal",
     MODEL("'encoder_attention_layers': 1, 'encoder_attention_heads': 4,"
           " 'encoder_attention_dim': 9, 'encoder_attention_causal': true,"
           " 'encoder_lstm': false, 'encoder_conv_dim': 24")},
    {"additive", MECHANISM(ADDITIVE)},
    {"location only", ATTENTION(LOCATION_ONLY)},
    {"dot of tanh", MECHANISM(DOT)},
    {"plain dot", MODEL("'attention_rnn_dim': 24, 'attention': {'type': 'dot',"
                        " 'matrices': false, 'dim': null, " NO_LOCATION "}")},
    {"scaled dot", MECHANISM(SCALED_DOT)},
    {"general", MECHANISM("'dim': null, " GENERAL)},
    {"concat", MECHANISM(CONCAT)},
    {"cosine", MECHANISM(COSINE)},
    {"heads, dot", MECHANISM(HEADS_DOT)},
    {"heads, scaled dot", MECHANISM(HEADS_SCALED)},
    {"heads, additive", MECHANISM(HEADS_ADDITIVE)},
    {"heads, location", ATTENTION("'location_channels': null, " HEADS_LOCATION)},
    {"local, predicted", MECHANISM(LOCAL_P)},
    {"local, given pace", MECHANISM(LOCAL_M)},
    {"local, learnt pace", MECHANISM(LOCAL_LEARNT)},
    {"hard", ATTENTION(HARD)},
    {"hard, drawn", ATTENTION(DRAWN)},
    {"monotonic", ATTENTION(MONOTONIC)},
    {"stepwise",
     ATTENTION("'location_kernel_size': null, 'location_channels': null, " STEPWISE)},
    {"static", MECHANISM(STATIC)},
    {"coverage", MECHANISM(COVERAGE)},
    {"hierarchical", MECHANISM(HIERARCHICAL)},
    {"all of them in one voice",
     MODEL("'attentions': {" OTHER("additive", ADDITIVE) OTHER(
         "location_only", LOCATION_ONLY) OTHER("dot", DOT) OTHER("general", GENERAL)
               OTHER("heads", HEADS_LOCATION) OTHER("local_p", LOCAL_P)
                   OTHER("local_m", LOCAL_LEARNT) OTHER("drawn", DRAWN)
                       OTHER("monotonic", MONOTONIC) OTHER("stepwise", STEPWISE) OTHER(
                           "coverage", COVERAGE) OTHER("hierarchical", HIERARCHICAL)
                           OTHER("agent", ESPNET
                                 ", 'transition_agent': true, 'dim': 9,"
                                 " 'location_n_filters': 3,"
                                 " 'location_kernel_size': 7") "'gmm': {'type': 'gmm', "
                                                               "'gmm_components': 2}}")},
};

enum { N_UNREFERENCED = 25 };

const size_t test_n_graphs = sizeof test_graphs / sizeof *test_graphs;
const size_t test_n_referenced =
    sizeof test_graphs / sizeof *test_graphs - N_UNREFERENCED;
