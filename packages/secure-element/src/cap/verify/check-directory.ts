import { maxAidLength, shortestAid } from '../../aid.ts'
import type { CapFile } from '../cap-file.ts'
import { componentNames, headOf, type ComponentName, type Components } from '../components.ts'
import type { Collector } from './finding.ts'
import { reading } from './reader.ts'
import type { StaticFields } from './read-statics.ts'

const firstCustomTag = 128

/**
 * Checks the sizes of components that stay on the host, and the counts (Java Card VM Specification
 * 3.1, 6.4).
 */
export function checkDirectory(
  findings: Collector,
  data: Uint8Array,
  {
    cap,
    components,
    statics,
    blocks,
  }: {
    cap: CapFile
    components: Components
    statics: StaticFields
    blocks: number
  },
): void {
  const { error } = findings
  const component = 'Directory'
  const { format, isExtended = false } = cap
  reading(findings, component, data, (read) => {
    for (const name of componentNames) {
      if (!isListed(name, format)) continue
      const offset = read.at()
      const wide = headOf(name, isExtended) > 3
      const wanted = wide ? read.u4() : read.u2()
      const content = components[name]
      const found = content ? content.length - headOf(name, isExtended) : 0
      // An archive may omit Descriptor and Debug, which no card gets.
      if (content && wanted !== found)
        error('directorySize', { component, offset }, { name, wanted, found })
    }
    const count = (what: string, wanted: number, found: number) => {
      if (wanted !== found)
        error('directoryCount', { component, offset: read.at() }, { what, wanted, found })
    }
    count('bytes of static fields', read.u2(), statics.size)
    count('initialized arrays', read.u2(), statics.arrays)
    count('bytes of initialized arrays', read.u2(), statics.arrayBytes)
    count('imports', read.u1(), cap.imports.length)
    count('applets', read.u1(), cap.applets.length)
    if (isExtended) count('blocks of methods', read.u1(), blocks)
    const custom = read.u1()
    for (let index = 0; index < custom; index++) {
      const offset = read.at()
      const tag = read.u1()
      read.u2()
      const length = read.u1()
      read.take(length)
      if (tag < firstCustomTag || length < shortestAid || length > maxAidLength)
        error('customComponent', { component, offset }, { tag })
    }
  })
}

/** Format 2.1 has no size of Debug; static resources exist since 2.3. */
const isListed = (name: ComponentName, format: string): boolean =>
  name === 'Debug' ? format !== '2.1' : name === 'StaticResources' ? format === '2.3' : true
