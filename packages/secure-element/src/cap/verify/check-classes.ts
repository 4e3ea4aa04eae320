import type { Collector } from './finding.ts'
import { isExternal, noClass, type CapModel, type ClassRecord } from './model.ts'
import { hexOf, shownAddress } from './reader.ts'

/** Superclasses, interfaces and method tables (Java Card VM Specification 3.1, 6.9). */
export function checkClasses(
  findings: Collector,
  model: CapModel,
  isMethod: (address: number) => boolean,
): void {
  for (const record of model.classes.values()) {
    checkInterfaces(findings, model, record)
    if (record.isInterface) continue
    checkTables(findings, model, record)
    const place = { component: 'Class', offset: record.offset } as const
    const { references, instanceSize, firstReference } = record
    if (references > instanceSize || (references > 0 && firstReference === 0xff))
      findings.error('classFields', place, { references, size: instanceSize })
    for (const table of [record.publicMethods, record.packageMethods])
      table.forEach((address, index) => {
        if (address !== undefined && !isMethod(address))
          findings.error('classMethod', place, {
            index,
            target: shownAddress(address, model.isExtended),
          })
      })
  }
}

function checkTables(
  { error }: Collector,
  { classes, imports }: CapModel,
  record: ClassRecord,
): void {
  const { superclass, offset, publicBase, packageBase, packageMethods } = record
  const place = { component: 'Class', offset } as const
  if (superclass === noClass) return
  if (isExternal(superclass)) {
    const tooFar = ((superclass >> 8) & 0x7f) >= imports.length
    if (tooFar) error('classSuper', place, { target: hexOf(superclass) })
    // Package-private methods are not inherited from another package.
    if (packageBase !== 0)
      error('classTables', place, {
        base: packageBase,
        count: packageMethods.length,
        inherited: 0,
      })
    return
  }
  const parent = classes.get(superclass)
  if (!parent || parent.isInterface || parent.offset >= offset) {
    error('classSuper', place, { target: hexOf(superclass) })
    return
  }
  const tables = [
    [publicBase, record.publicMethods, parent.publicTokens],
    [packageBase, packageMethods, parent.packageTokens],
  ] as const
  for (const [base, { length: count }, inherited] of tables)
    if (base > inherited) error('classTables', place, { base, count, inherited })
}

function checkInterfaces(
  { error }: Collector,
  { classes, imports }: CapModel,
  record: ClassRecord,
): void {
  for (const { reference, indexes, at } of record.interfaces) {
    const place = { component: 'Class', offset: at } as const
    const isThere = isExternal(reference)
      ? ((reference >> 8) & 0x7f) < imports.length
      : classes.get(reference)?.isInterface === true && reference !== record.offset
    if (!isThere) error('classInterface', place, { target: hexOf(reference) })
    const count = record.publicTokens
    const wrong = indexes.find((index) => index >= count)
    if (wrong !== undefined) error('classIndex', place, { index: wrong, count })
  }
}
