/* GET /openapi.json: the description of all routes, which the binary carries. */
#include "api/handlers.h"
#include "http/reply.h"
#include "voices/embedded.h"

enum MHD_Result taco_handle_openapi(struct taco_exchange *x) {
    size_t size = (size_t)(taco_embedded_openapi_end - taco_embedded_openapi);
    struct MHD_Response *response = taco_response_static(taco_embedded_openapi, size);
    if (response)
        taco_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-cache");
    atomic_store(&x->n_sent, size);
    return taco_reply(x, MHD_HTTP_OK, response, "application/json");
}
