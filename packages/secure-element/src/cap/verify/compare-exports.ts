import { openCap } from '../cap-file.ts'
import { headOf, type ComponentName, type PackageVersion } from '../components.ts'
import { collector } from './finding.ts'
import { isExternal, type ClassRecord, type Descriptor } from './model.ts'
import { readClasses } from './read-classes.ts'
import { readDescriptor } from './read-descriptor.ts'
import { readExports } from './read-exports.ts'

export const exportBreakCodes = [
  'package',
  'class',
  'kind',
  'field',
  'staticMethod',
  'method',
  'interface',
  'signature',
] as const
export type ExportBreakCode = (typeof exportBreakCodes)[number]

/** An export that importers of the former version no longer find. */
export interface ExportBreak {
  code: ExportBreakCode
  /** The index of the package in the extended format. */
  package: number
  /** The token of the class. */
  class: number
  /** The token of the field or method. */
  token?: number
  message: string
}

export interface ExportComparison {
  /** Whether the minor version is the same or a later one, and must keep what existed. */
  mustKeep: boolean
  breaks: ExportBreak[]
}

/**
 * Compares the exports of a CAP file with those of a former version of its package. A later minor
 * version keeps all former classes, fields and methods under their tokens, with the same signatures,
 * and the same methods of interfaces (Java Card VM Specification 3.1, 4.4 and 4.5); a later major
 * version may break them. Signatures are compared if both files have Descriptor.
 * @throws CapError if a file is not a CAP file; TypeError if they belong to different packages.
 */
export function compareExports(before: Uint8Array, after: Uint8Array): ExportComparison {
  const [old, now] = [exportsOf(before), exportsOf(after)]
  if (old.cap.aid !== now.cap.aid)
    throw new TypeError(`${old.cap.aid} and ${now.cap.aid} are two packages`)
  const breaks: ExportBreak[] = []
  const add = (
    code: ExportBreak['code'],
    place: { package: number; class: number; token?: number },
    message: string,
  ) => breaks.push({ code, ...place, message })
  old.packages.forEach((classes, index) => {
    // The extended format names its public packages, in any order.
    const aid = old.cap.packages?.[index]?.aid
    const at = now.cap.packages?.findIndex((each) => each.aid === aid) ?? index
    const others = now.packages[at]
    if (!others) {
      add('package', { package: index, class: 0 }, `Package ${index} is no longer exported.`)
      return
    }
    classes.forEach((exported, token) => {
      const other = others[token]
      const place = { package: index, class: token }
      if (!other) add('class', place, `Class ${token} is no longer exported.`)
      else compareClass(exported, other, place, add)
    })
  })
  return { mustKeep: old.cap.major === now.cap.major, breaks }
}

type Add = (
  code: ExportBreak['code'],
  place: { package: number; class: number; token?: number },
  message: string,
) => void

interface Exported {
  record: ClassRecord | undefined
  fields: number
  methods: number
  /** By kind and token, such as `virtual 3`. */
  signatures: Map<string, string>
}

function compareClass(
  old: Exported,
  now: Exported,
  place: { package: number; class: number },
  add: Add,
): void {
  const name = `Class ${place.class}`
  if (old.record?.isInterface !== now.record?.isInterface) {
    add('kind', place, `${name} changed between class and interface.`)
    return
  }
  for (let token = now.fields; token < old.fields; token++)
    add('field', { ...place, token }, `${name} lacks static field ${token}.`)
  for (let token = now.methods; token < old.methods; token++)
    add('staticMethod', { ...place, token }, `${name} lacks static method or constructor ${token}.`)
  const tokens = now.record?.publicTokens ?? 0
  for (let token = tokens; token < (old.record?.publicTokens ?? 0); token++)
    add('method', { ...place, token }, `${name} lacks method ${token}.`)
  for (const [key, signature] of old.signatures) {
    const other = now.signatures.get(key)
    if (other !== undefined && other !== signature)
      add(
        'signature',
        { ...place, token: Number(key.split(' ')[1]) },
        `${name}: ${key} has another signature.`,
      )
  }
  if (old.record?.isInterface !== true || old.signatures.size === 0 || now.signatures.size === 0)
    return
  const names = (each: Exported) => [...each.signatures.keys()].toSorted().join()
  if (names(old) !== names(now))
    add(
      'interface',
      place,
      `The methods of interface ${place.class} changed, so classes that implement it do not fit.`,
    )
}

/** The exports of a file with their classes. */
function exportsOf(archive: Uint8Array) {
  const { cap, components } = openCap(archive)
  const { isExtended = false, format } = cap
  const contentOf = (name: ComponentName) =>
    components[name]?.subarray(headOf(name, isExtended)) ?? new Uint8Array()
  // Faults of the file are reported by verifyCap.
  const ignored = collector(0)
  const classes = readClasses(ignored, contentOf('Class'), { isExtended, format })
  const exported = components.Export ? readExports(ignored, contentOf('Export'), isExtended) : []
  const constants = contentOf('ConstantPool')
  const descriptor = components.Descriptor
    ? readDescriptor(ignored, contentOf('Descriptor'), {
        isExtended,
        constants: (constants[0] ?? 0) * 256 + (constants[1] ?? 0),
      })
    : undefined
  const tokens = new Map(
    exported.flatMap((each, index) =>
      each.map(({ offset }, token) => [offset, `${index}.${token}`] as const),
    ),
  )
  const signatureOf = signaturesOf(descriptor, cap.imports, tokens)
  const packages = exported.map((each) =>
    each.map(({ offset, fields, methods }): Exported => ({
      record: classes.get(offset),
      fields: fields.length,
      methods: methods.length,
      signatures: signatureOf(offset),
    })),
  )
  return { cap, packages }
}

const hidden = 0xff

/** Reads signatures in a form that does not depend on offsets in the file. */
function signaturesOf(
  descriptor: Descriptor | undefined,
  imports: readonly PackageVersion[],
  tokens: ReadonlyMap<number, string>,
) {
  const classes = new Map(descriptor?.classes.map((each) => [each.offset, each]))
  const typeOf = (offset: number): string => {
    const nibbles = descriptor?.types.get(offset) ?? []
    let text = ''
    for (let at = 0; at < nibbles.length; at++) {
      const kind = nibbles[at] ?? 0
      text += kind.toString(16)
      if (kind !== 6 && kind !== 0xe) continue
      const reference = nibbles.slice(at + 1, at + 5).reduce((sum, each) => sum * 16 + each, 0)
      at += 4
      text += isExternal(reference)
        ? `(${imports[(reference >> 8) & 0x7f]?.aid ?? ''}.${reference & 0xff})`
        : `(${tokens.get(reference) ?? 'own'})`
    }
    return text
  }
  return (offset: number): Map<string, string> => {
    const found = new Map<string, string>()
    const described = classes.get(offset)
    for (const { token, flags, type } of described?.methods ?? []) {
      const isStatic = (flags & 0x88) !== 0
      if (token !== hidden && (token & 0x80) === 0)
        found.set(`${isStatic ? 'static' : 'virtual'} ${token}`, typeOf(type))
    }
    for (const { token, flags, type } of described?.fields ?? [])
      // Only public and protected ones are visible to others.
      if (token !== hidden && (flags & 0x05) !== 0)
        found.set(
          `${(flags & 0x08) === 0 ? 'field' : 'static-field'} ${token}`,
          (type & 0x8000) === 0 ? typeOf(type) : type.toString(16),
        )
    return found
  }
}
