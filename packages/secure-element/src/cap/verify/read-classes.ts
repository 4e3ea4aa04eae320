import type { Collector } from './finding.ts'
import { noClass, type ClassRecord } from './model.ts'
import { addressOf, reading, type Reader } from './reader.ts'

interface Format {
  isExtended: boolean
  format: string
}

const flags = { interface: 0x8, shareable: 0x4, remote: 0x2 }

/** The records of the Class component by their offsets (Java Card VM Specification 3.1, 6.9). */
export function readClasses(
  findings: Collector,
  data: Uint8Array,
  format: Format,
): Map<number, ClassRecord> {
  const classes = new Map<number, ClassRecord>()
  reading(findings, 'Class', data, (read) => {
    // Signatures of remote methods.
    if (format.format !== '2.1') read.take(read.u2())
    while (!read.isAtEnd()) {
      const record = readRecord(read, format)
      // A superclass precedes its subclasses.
      const parent = classes.get(record.superclass)
      const { publicBase, packageBase, publicMethods, packageMethods } = record
      record.publicTokens = Math.max(publicBase + publicMethods.length, parent?.publicTokens ?? 0)
      record.packageTokens = Math.max(
        packageBase + packageMethods.length,
        parent?.packageTokens ?? 0,
      )
      classes.set(record.offset, record)
    }
  })
  return classes
}

function readRecord(read: Reader, format: Format): ClassRecord {
  const offset = read.at()
  const bits = read.u1()
  const record: ClassRecord = {
    offset,
    isInterface: (bits & (flags.interface << 4)) !== 0,
    isShareable: (bits & (flags.shareable << 4)) !== 0,
    isRemote: (bits & (flags.remote << 4)) !== 0,
    interfaces: [],
    superclass: noClass,
    instanceSize: 0,
    firstReference: 0xff,
    references: 0,
    publicBase: 0,
    packageBase: 0,
    publicMethods: [],
    packageMethods: [],
    publicTokens: 0,
    packageTokens: 0,
  }
  const interfaces = bits & 0x0f
  if (record.isInterface) {
    for (let index = 0; index < interfaces; index++)
      record.interfaces.push({ at: read.at(), reference: read.u2(), indexes: new Uint8Array() })
    if (record.isRemote) read.take(read.u1())
    return record
  }
  return readClass(read, record, { interfaces, ...format })
}

function readClass(
  read: Reader,
  record: ClassRecord,
  { interfaces, isExtended, format }: Format & { interfaces: number },
): ClassRecord {
  record.superclass = read.u2()
  record.instanceSize = read.u1()
  record.firstReference = read.u1()
  record.references = read.u1()
  record.publicBase = read.u1()
  const publicCount = read.u1()
  record.packageBase = read.u1()
  const packageCount = read.u1()
  const method = () => {
    const block = isExtended ? read.u1() : 0
    const offset = read.u2()
    return offset === 0xffff ? undefined : addressOf(block, offset)
  }
  for (let index = 0; index < publicCount; index++) record.publicMethods.push(method())
  for (let index = 0; index < packageCount; index++) record.packageMethods.push(method())
  for (let index = 0; index < interfaces; index++)
    record.interfaces.push({
      at: read.at(),
      reference: read.u2(),
      indexes: read.take(read.u1()),
    })
  if (record.isRemote) readRemote(read)
  // The superclass's tokens, then the number that a package of an older format inherits (since 2.3).
  if (format === '2.3') read.take(record.publicBase + publicCount + 1)
  return record
}

function readRemote(read: Reader): void {
  // Each method has a hash, the offset of its signature and a token.
  read.take(5 * read.u1())
  // The modifier of the hashes and the name of the class.
  read.take(read.u1())
  read.take(read.u1())
  read.take(2 * read.u1())
}
