// Node 20 cannot strip types itself, and `--import` has no effect in a worker.
import '../../../../scripts/run-typescript.mjs'

await import(process.argv[2])
