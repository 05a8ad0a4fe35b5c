/* GET /healthz: the process lives. GET /readyz: send it work. Neither waits for anything.
 */
#include "api/handlers.h"
#include "http/reply.h"

enum MHD_Result taco_handle_healthz(struct taco_exchange *x) {
    return taco_reply_json(x, MHD_HTTP_OK, json_pack("{s:s}", "status", "ok"));
}

enum MHD_Result taco_handle_readyz(struct taco_exchange *x) {
    bool draining = atomic_load(&x->server->draining);
    bool ready = atomic_load(&x->server->ready) && !draining;
    const char *status = ready ? "ready" : draining ? "draining" : "starting";
    return taco_reply_json(x, ready ? MHD_HTTP_OK : MHD_HTTP_SERVICE_UNAVAILABLE,
                           json_pack("{s:s}", "status", status));
}
