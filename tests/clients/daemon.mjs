// A tacod of one's own on a free port of loopback.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const PATIENCE = 120_000;

const listening = (child) => new Promise((resolve, reject) => {
    let log = "";
    child.stderr.on("data", (data) => {
        log += data;
        const found = log.match(/listening on (http:\/\/[^\s]+?)\/\n/);
        if (found)
            resolve(found[1]);
    });
    child.on("exit", (code) => reject(new Error(`tacod ended with ${code}:\n${log}`)));
});

/* {address, stop()}, when it is ready; stop() wants it to end well. */
export const start = async (...options) => {
    const child = spawn(process.env.TACOD, ["serve", "--port", "0", "--threads", "2", ...options],
        { stdio: ["ignore", "ignore", "pipe"] });
    const address = await listening(child);
    while (!(await fetch(`${address}/readyz`)).ok)
        await new Promise((resolve) => setTimeout(resolve, 50));
    const stop = async () => {
        child.removeAllListeners("exit");
        const code = new Promise((resolve) => child.on("exit", resolve));
        child.kill("SIGTERM");
        assert.equal(await code, 0);
    };
    return { address, stop };
};

/* The same with keys; key is one of them. */
export const startWithAKey = async () => {
    const made = spawnSync(process.env.TACOD, ["new-key", "alice"], { encoding: "utf8" });
    const folder = mkdtempSync(join(tmpdir(), "tacod-"));
    try {
        writeFileSync(join(folder, "keys"), made.stdout, { mode: 0o600 });
        return { ...await start("--keys", join(folder, "keys")), key: made.stderr.split("\n")[1] };
    } finally {
        rmSync(folder, { recursive: true });
    }
};
