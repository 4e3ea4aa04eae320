import { byteAt } from '../../bytes.ts'
import type { Collector } from './finding.ts'
import { staticFlag, type DescribedClass, type Descriptor } from './model.ts'
import { addressOf, CutOff, hexOf, readerOf, type Reader } from './reader.ts'

/**
 * Reads the Descriptor component (Java Card VM Specification 3.1, 6.14), which is not loaded on a
 * card.
 */
export function readDescriptor(
  findings: Collector,
  data: Uint8Array,
  { isExtended, constants }: { isExtended: boolean; constants: number },
): Descriptor {
  const descriptor: Descriptor = { classes: [], types: new Map(), isWhole: false }
  const read = readerOf(data)
  try {
    const packages = isExtended ? read.u1() : 1
    for (let index = 0; index < packages; index++) {
      const count = read.u1()
      for (let each = 0; each < count; each++) descriptor.classes.push(readClass(read, isExtended))
    }
    const from = read.at()
    const typeCount = read.u2()
    if (typeCount !== constants)
      findings.error(
        'descriptorCount',
        { component: 'Descriptor', offset: from },
        { found: typeCount, wanted: constants },
      )
    const ofConstants = Array.from({ length: typeCount }, () => read.u2())
    while (!read.isAtEnd()) {
      const offset = read.at() - from
      const nibbles = read.u1()
      descriptor.types.set(offset, nibblesOf(read.take((nibbles + 1) >> 1), nibbles))
    }
    ofConstants.forEach((type, index) => {
      if (type !== 0xffff && !descriptor.types.has(type))
        findings.error(
          'descriptorType',
          { component: 'Descriptor', offset: from + 2 + 2 * index },
          { target: hexOf(type) },
        )
    })
    descriptor.isWhole = true
  } catch (failure) {
    if (!(failure instanceof CutOff)) throw failure
    findings.error('cutOff', { component: 'Descriptor', offset: failure.at })
  }
  return descriptor
}

const nibblesOf = (bytes: Uint8Array, count: number): number[] =>
  Array.from({ length: count }, (_, index) =>
    index % 2 === 0 ? byteAt(bytes, index >> 1) >> 4 : byteAt(bytes, index >> 1) & 0x0f,
  )

function readClass(read: Reader, isExtended: boolean): DescribedClass {
  const token = read.u1()
  const flags = read.u1()
  const offset = read.u2()
  const interfaces = read.u1()
  const fieldCount = read.u2()
  const methodCount = read.u2()
  read.take(2 * interfaces)
  const made: DescribedClass = { token, flags, offset, fields: [], methods: [] }
  for (let index = 0; index < fieldCount; index++) {
    const at = read.at()
    const [fieldToken, fieldFlags] = [read.u1(), read.u1()]
    const place = read.take(3)
    const isStatic = (fieldFlags & staticFlag) !== 0
    made.fields.push({
      at,
      token: fieldToken,
      flags: fieldFlags,
      classOffset: offset,
      ...(isStatic && { target: byteAt(place, 1) * 256 + byteAt(place, 2) }),
      type: read.u2(),
    })
  }
  for (let index = 0; index < methodCount; index++)
    made.methods.push({
      at: read.at(),
      token: read.u1(),
      flags: read.u1(),
      address: addressOf(isExtended ? read.u1() : 0, read.u2()),
      type: read.u2(),
      codeLength: read.u2(),
      handlerCount: read.u2(),
      handlerIndex: read.u2(),
      classOffset: offset,
      classToken: token,
    })
  return made
}
