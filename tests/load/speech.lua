-- wrk: speech after speech, every answer checked. The seeds differ, so that no answer comes from a cache.
local texts = {"Hi.", "Is it half past nine?", "Rice is often served in round bowls.", "One. Two. Three."}
local threads = {}
local n, first = 0, 0

function setup(thread)
   thread:set("first", #threads * 1000000)
   table.insert(threads, thread)
end

function init()
   wrong = 0
end

function request()
   n = n + 1
   local body = string.format('{"text": "%s", "seed": %d}', texts[n % #texts + 1], first + n)
   return wrk.format("POST", "/v1/speech", {["Content-Type"] = "application/json"}, body)
end

function response(status, headers, body)
   if status ~= 200 or body:sub(1, 4) ~= "RIFF" or #body < 2000 then
      wrong = wrong + 1
   end
end

function done(summary, latency)
   local all = 0
   for _, thread in ipairs(threads) do
      all = all + thread:get("wrong")
   end
   local e = summary.errors
   io.write(string.format('RESULT {"requests": %d, "wrong": %d, "errors": %d, "median_ms": %.1f, "p99_ms": %.1f}\n',
      summary.requests, all, e.connect + e.read + e.write + e.status + e.timeout,
      latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
