import type { Collector } from './finding.ts'
import { CutOff, readerOf } from './reader.ts'

/** Checks the static resources (Java Card VM Specification 3.1, 6.16): ids, sizes, then the bytes. */
export function checkResources({ error }: Collector, data: Uint8Array): void {
  const component = 'StaticResources'
  const read = readerOf(data)
  const seen = new Set<number>()
  let wanted = 0
  try {
    const count = read.u2()
    for (let index = 0; index < count; index++) {
      const offset = read.at()
      const id = read.u2()
      if (seen.has(id)) error('resourceTwice', { component, offset }, { id })
      seen.add(id)
      wanted += read.u4()
    }
    if (wanted !== read.left())
      error('resourceSize', { component, offset: read.at() }, { wanted, found: read.left() })
  } catch (failure) {
    if (!(failure instanceof CutOff)) throw failure
    error('cutOff', { component, offset: failure.at })
  }
}
