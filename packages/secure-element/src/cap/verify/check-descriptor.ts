import type { Collector } from './finding.ts'
import { headerAt } from './find-methods.ts'
import {
  methodFlags,
  type CapModel,
  type ClassRecord,
  type DescribedMethod,
  type Descriptor,
} from './model.ts'
import { blockOf, hexOf, offsetOf, shownAddress } from './reader.ts'

/** Checks that Descriptor agrees with the classes and methods (the same, 6.14). */
export function checkDescriptor(
  findings: Collector,
  model: CapModel,
  descriptor: Descriptor,
): void {
  const { error } = findings
  const seen = new Set<number>()
  for (const { offset, fields, methods } of descriptor.classes) {
    const record = model.classes.get(offset)
    const [first] = [...methods.map(({ at }) => at), ...fields.map(({ at }) => at)]
    if (!record || seen.has(offset))
      error(
        'descriptorClass',
        { component: 'Descriptor', ...(first !== undefined && { offset: first }) },
        { target: hexOf(offset) },
      )
    seen.add(offset)
    for (const { target, type, at } of fields) {
      const place = { component: 'Descriptor', offset: at } as const
      const { size } = model.statics
      if (target !== undefined && target >= size)
        error('descriptorField', place, { target: hexOf(target), size })
      if ((type & 0x8000) === 0 && !descriptor.types.has(type))
        error('descriptorType', place, { target: hexOf(type) })
    }
    for (const method of methods) checkMethod(findings, model, { descriptor, method, record })
  }
  for (const offset of model.classes.keys())
    if (!seen.has(offset))
      error('descriptorMissing', { component: 'Descriptor' }, { target: hexOf(offset) })
}

function checkMethod(
  { error }: Collector,
  model: CapModel,
  {
    descriptor,
    method,
    record,
  }: { descriptor: Descriptor; method: DescribedMethod; record: ClassRecord | undefined },
): void {
  const { at, address, token, flags, type, handlerCount, handlerIndex } = method
  const place = { component: 'Descriptor', offset: at } as const
  const nibbles = descriptor.types.get(type)
  if (!nibbles) error('descriptorType', place, { target: hexOf(type) })
  const block = model.blocks[blockOf(address)]
  if (record?.isInterface === true || !block) return
  const header = headerAt(block, offsetOf(address))
  const words = nibbles && argumentWords(nibbles)
  const wanted =
    words === undefined ? undefined : words + ((flags & methodFlags.static) === 0 ? 1 : 0)
  // Nothing uses the numbers in the header of an abstract method.
  if (wanted !== undefined && !header.isAbstract && header.parameters !== wanted)
    error(
      'methodArguments',
      { component: 'Method', offset: offsetOf(address) },
      { found: header.parameters, wanted },
    )
  if (handlerCount > 0) {
    const to = handlerIndex + handlerCount
    if (to > block.handlers.length) error('descriptorHandlers', place, { from: handlerIndex, to })
  }
  const isVirtual = (flags & (methodFlags.static | methodFlags.init | methodFlags.private)) === 0
  if (!record || !isVirtual || token === 0xff) return
  const isPackage = (token & 0x80) !== 0
  const index = (token & 0x7f) - (isPackage ? record.packageBase : record.publicBase)
  const table = isPackage ? record.packageMethods : record.publicMethods
  if (table[index] !== address)
    error('descriptorToken', place, {
      token: token & 0x7f,
      class: hexOf(record.offset),
      target: shownAddress(address, model.isExtended),
    })
}

const kinds = { void: 1, integer: 5, reference: 6, array: 0xa, referenceArray: 0xe }

/** The size of a method's parameters in words; undefined for an invalid signature. */
export function argumentWords(nibbles: readonly number[]): number | undefined {
  const sizes: number[] = []
  for (let at = 0; at < nibbles.length;) {
    const kind = nibbles[at] ?? 0
    const isReference = kind === kinds.reference || kind === kinds.referenceArray
    if (kind < kinds.void || (kind > kinds.reference && kind < kinds.array) || kind === 0xf)
      return undefined
    // Four more nibbles name the class.
    at += isReference ? 5 : 1
    sizes.push(kind === kinds.integer ? 2 : 1)
  }
  sizes.pop()
  return sizes.reduce((sum, size) => sum + size, 0)
}
