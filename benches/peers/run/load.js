// One run of the load on one server. The rule: a run says how much other work the machine had meanwhile, so that a disturbed one can be repeated.

import { existsSync, readFileSync } from "node:fs";

import { run } from "./processes.js";

/** CPU seconds a second of processes that are not part of the benchmark, and of other virtual machines: more is a disturbed run. */
const OTHER_CPU_MAX = 0.1;

/** The parent of all threads of the kernel, which write what the measured servers have changed; in a container it is not visible. */
const KERNEL = { pid: 2, name: "kthreadd" };
const kernel = existsSync(`/proc/${KERNEL.pid}/comm`) && readFileSync(`/proc/${KERNEL.pid}/comm`, "utf8").trim() === KERNEL.name ? { kernel: KERNEL.pid } : {};

/** `body`: what each caller sends; or `bodies` and `counts`, one for each caller; or a `mix`. */
export async function load({ program, seconds, warmUpSeconds }, { server, path, callers, body, bodies, counts, mix, headers = {}, expected = '"data":' }) {
  const spec = {
    address: server.address,
    path: path ?? server.path,
    headers: { "content-type": "application/json", ...headers },
    bodies: bodies ?? Array(mix ? 0 : callers).fill(body),
    counts,
    mix,
    expected,
    seconds,
    warmUpSeconds,
    watched: { benchmark: process.pid, ...kernel, ...Object.fromEntries(server.watched.map((pid, number) => [`server${number}`, pid])) },
  };
  const measured = JSON.parse(await run([program, "--child", "load"], { input: JSON.stringify(spec) }));
  const { benchmark, kernel: ofKernel = 0, ...ofServer } = measured.cpu;
  const serverCpu = Object.values(ofServer).reduce((sum, cpu) => sum + cpu, 0);
  const otherCpu = (Math.max(0, measured.busyCpu - benchmark - ofKernel) + measured.stolenCpu) / measured.seconds;
  return {
    rate: measured.answers / seconds,
    p50Ms: measured.p50Us / 1000,
    p99Ms: measured.p99Us / 1000,
    cpuUs: (serverCpu / Math.max(1, measured.answers)) * 1e6,
    bytes: measured.bytes,
    changes: measured.changes,
    otherCpu,
    isDisturbed: otherCpu > OTHER_CPU_MAX,
  };
}
