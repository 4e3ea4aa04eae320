import type { Collector } from './finding.ts'
import { isExternal, noClass, type CapModel, type ClassRecord, type PoolEntry } from './model.ts'
import { hexOf, shownAddress } from './reader.ts'

/** Checks the targets of constants inside the package (Java Card VM Specification 3.1, 6.8). */
export function checkPool(
  { error }: Collector,
  model: CapModel,
  isMethod: (address: number) => boolean,
): void {
  model.pool.forEach((entry, index) => {
    if (!entry) return
    const place = { component: 'ConstantPool', offset: 2 + 4 * index } as const
    const { kind, target, reference } = entry
    if (kind === 'staticMethod' && target !== undefined && !isMethod(target))
      error('poolMethod', place, { index, target: shownAddress(target, model.isExtended) })
    if (kind === 'staticField' && target !== undefined && target >= model.statics.size)
      error('poolStatic', place, { index, target: hexOf(target), size: model.statics.size })
    if (reference === undefined || isExternal(reference)) return
    const record = model.classes.get(reference)
    if (!record) {
      error('poolClass', place, { index, target: hexOf(reference) })
      return
    }
    const fault = tokenFault(model, entry, record)
    if (fault) error(fault.code, place, { index, class: hexOf(reference), ...fault.params })
  })
}

/** A token that the class does not have. Interfaces have no tables to check. */
function tokenFault(
  model: CapModel,
  { kind, token = 0 }: PoolEntry,
  record: ClassRecord,
): { code: 'poolField' | 'poolToken'; params: Record<string, number> } | undefined {
  if (record.isInterface) return undefined
  if (kind === 'instanceField' && token >= record.instanceSize)
    return { code: 'poolField', params: { token, count: record.instanceSize } }
  const owner =
    kind === 'virtualMethod' ? record : kind === 'superMethod' ? superOf(model, record) : undefined
  if (!owner) return undefined
  const isPackage = (token & 0x80) !== 0
  const count = isPackage ? owner.packageTokens : owner.publicTokens
  return (token & 0x7f) >= count
    ? { code: 'poolToken', params: { token: token & 0x7f } }
    : undefined
}

const superOf = ({ classes }: CapModel, { superclass }: ClassRecord): ClassRecord | undefined =>
  superclass === noClass || isExternal(superclass) ? undefined : classes.get(superclass)
