// Runs one of our TypeScript programs: node scripts/run.mjs <file> [arguments]
import { prepare, runTypeScript } from './workspace.mjs'

const [file = '', ...args] = process.argv.slice(2)
prepare()
runTypeScript(file, args)
