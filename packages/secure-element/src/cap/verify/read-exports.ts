import type { Collector } from './finding.ts'
import type { ExportedClass } from './model.ts'
import { addressOf, reading } from './reader.ts'

/**
 * Reads the exported classes of all packages; the index in a package is the token (the same, 6.13).
 */
export function readExports(
  findings: Collector,
  data: Uint8Array,
  isExtended: boolean,
): ExportedClass[][] {
  const packages: ExportedClass[][] = []
  reading(findings, 'Export', data, (read) => {
    const count = isExtended ? read.u1() : 1
    for (let index = 0; index < count; index++) {
      const classes: ExportedClass[] = []
      packages.push(classes)
      const classCount = read.u1()
      for (let each = 0; each < classCount; each++) {
        const exported: ExportedClass = { offset: read.u2(), fields: [], methods: [] }
        classes.push(exported)
        const [fields, methods] = [read.u1(), read.u1()]
        for (let field = 0; field < fields; field++) exported.fields.push(read.u2())
        for (let method = 0; method < methods; method++)
          exported.methods.push(addressOf(isExtended ? read.u1() : 0, read.u2()))
      }
    }
  })
  return packages
}
