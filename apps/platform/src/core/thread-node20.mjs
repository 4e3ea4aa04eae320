// Node 20 cannot strip types itself, and tsx's own `--import` does nothing in a worker.
import { register } from 'tsx/esm/api'

register()
await import(process.argv[2])
