import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import koffi from 'koffi'
import { openCryptoki } from '../cryptoki.ts'

// Calls a module after garbage collection of everything unreferenced.
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
const cryptoki = openCryptoki(koffi, process.argv[2] ?? '')
cryptoki.initialize()
for (let round = 0; round < 3; round++) {
  collect()
  await new Promise((resolve) => setImmediate(resolve))
}
console.log(
  cryptoki
    .tokens()
    .map(({ label }) => label)
    .join(),
)
