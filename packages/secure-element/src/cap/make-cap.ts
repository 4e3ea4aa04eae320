import { zipSync } from 'fflate'
import { concat, readHex } from '../bytes.ts'
import type { PackageVersion } from './components.ts'

/** A package to generate; its applets answer every command with 9000. */
export interface NewCap {
  /** The package, such as `example.ndef`. */
  name: string
  aid: string
  major?: number
  minor?: number
  applets: readonly { aid: string; name: string }[]
  /** Of framework and language; default: those of Java Card 2.2.1. */
  imports?: readonly PackageVersion[]
  /** Minimum size of the load file, in bytes. */
  size?: number
}

const bytes = (...parts: (number | readonly number[])[]): number[] => parts.flat()
const short = (value: number) => [value >> 8, value & 0xff]
const zeros = (length: number) => Array.from({ length }, () => 0)
const lengthAndValue = (hex: string) => [hex.length / 2, ...readHex(hex)]

const usual: readonly PackageVersion[] = [
  { aid: 'A0000000620101', major: 1, minor: 2 },
  { aid: 'A0000000620001', major: 1, minor: 0 },
]

// Numbers of the Java Card export files: javacard.framework is the first import.
const appletClass = [0x80, 0x03]
const tokens = { initialise: 0, register: 1, process: 7 }
const opcodes = { load0: 0x18, new: 0x8f, invokeSpecial: 0x8c, invokeVirtual: 0x8b }
const duplicate = 0x3d
const end = 0x7a

const classSize = 12
const tags = {
  Header: 1,
  Directory: 2,
  Applet: 3,
  Import: 4,
  ConstantPool: 5,
  Class: 6,
  Method: 7,
  StaticField: 8,
  RefLocation: 9,
}

/** An NDEF tag, for people without a CAP file. */
export const sampleCap: NewCap = {
  name: 'example.ndef',
  aid: 'D27600008501',
  applets: [{ aid: 'D2760000850101', name: 'example.ndef.NdefApplet' }],
  size: 2048,
}

interface Method {
  code: number[]
  /** Offsets that refer to the constant pool. */
  references: readonly number[]
}

/** Constructor, install and process of an applet; its constant pool entries start at `pool`. */
function methodsOf(pool: number): Method[] {
  // The method header: stack size, then numbers of parameters and variables.
  const head = (stack: number, parameters: number) => [stack, parameters << 4]
  return [
    {
      code: bytes(head(1, 1), opcodes.load0, opcodes.invokeSpecial, short(0), end),
      references: [4],
    },
    {
      code: bytes(
        head(2, 3),
        bytes(opcodes.new, short(pool), duplicate),
        bytes(opcodes.invokeSpecial, short(pool + 1)),
        bytes(opcodes.invokeVirtual, short(pool + 2), end),
      ),
      references: [3, 7, 10],
    },
    { code: bytes(head(0, 2), end), references: [] },
  ]
}

/** The constant pool entries of each applet: its class, its constructor and register(). */
const entriesOfApplet = 3
const poolOf = (applet: number) => 1 + applet * entriesOfApplet

/** All methods, concatenated, with the offset of each method and each reference. */
function placed(applets: NewCap['applets']) {
  const code: number[] = []
  const references: number[] = []
  const places = applets.map((_, index) =>
    methodsOf(poolOf(index)).map((method) => {
      // The component begins with the number of exception handlers.
      const at = 1 + code.length
      code.push(...method.code)
      references.push(...method.references.map((each) => at + each))
      return at
    }),
  )
  const placeOf = (applet: number, method: 'create' | 'install' | 'process') =>
    places[applet]?.[['create', 'install', 'process'].indexOf(method)] ?? 0
  return { code, references, placeOf }
}

const order = [
  'Header',
  'Directory',
  'Applet',
  'Import',
  'ConstantPool',
  'Class',
  'Method',
  'StaticField',
  'RefLocation',
] as const

const directorySize = 31
const head = 3

function componentsOf({
  aid,
  major = 1,
  minor = 0,
  applets,
  imports = usual,
  size = 0,
}: NewCap): Record<(typeof order)[number], number[]> {
  const { code, references, placeOf } = placed(applets)
  const made = {
    Header: bytes([...readHex('DECAFFED')], [1, 2, 0x04, minor, major], lengthAndValue(aid)),
    Applet: bytes(
      applets.length,
      applets.flatMap((each, index) =>
        bytes(lengthAndValue(each.aid), short(placeOf(index, 'install'))),
      ),
    ),
    Import: bytes(
      imports.length,
      imports.flatMap((each) => bytes(each.minor, each.major, lengthAndValue(each.aid))),
    ),
    ConstantPool: bytes(
      short(1 + applets.length * entriesOfApplet),
      bytes(6, appletClass, tokens.initialise),
      applets.flatMap((_, index) =>
        bytes(
          bytes(1, short(index * classSize), 0),
          bytes(6, 0, short(placeOf(index, 'create'))),
          bytes(3, short(index * classSize), tokens.register),
        ),
      ),
    ),
    // No fields; process is the only virtual method that the package overrides.
    Class: applets.flatMap((_, index) =>
      bytes(
        0,
        appletClass,
        [0, 0xff, 0, tokens.process, 1, 0, 0],
        short(placeOf(index, 'process')),
      ),
    ),
    StaticField: zeros(10),
    RefLocation: bytes(
      short(0),
      short(references.length),
      references.map((each, index) => each - (references[index - 1] ?? 0)),
    ),
  }
  const known = Object.values(made).reduce((sum, { length }) => sum + head + length, 0)
  // Unreachable code.
  const filler = size - known - (head + directorySize) - (head + 1 + code.length)
  const all = {
    ...made,
    Method: bytes(
      0,
      code,
      Array.from({ length: Math.max(0, filler) }, () => end),
    ),
    Directory: [],
  }
  const sizes = order.flatMap((each) =>
    short(each === 'Directory' ? directorySize : all[each].length),
  )
  return {
    ...all,
    // No exports, no descriptor, no static fields.
    Directory: bytes(sizes, zeros(2 * 2), zeros(3 * 2), imports.length, applets.length, 0),
  }
}

const text = (content: string) => new TextEncoder().encode(content)

/** What newer converters add: the applet class names. */
const descriptorOf = (applets: NewCap['applets']) =>
  `<applet-app>${applets
    .map(
      ({ aid, name }) =>
        `<applet><applet-class>${name}</applet-class><applet-AID>//aid/${aid.slice(0, 10)}/${aid.slice(10)}</applet-AID></applet>`,
    )
    .join('')}</applet-app>`

/**
 * Generates a CAP file of format 2.1 (Java Card VM Specification 2.2.2, chapter 6),
 * deterministically.
 */
export function makeCap(wanted: NewCap): Uint8Array<ArrayBuffer> {
  const components = componentsOf(wanted)
  const folder = `${wanted.name.replaceAll('.', '/')}/javacard/`
  return zipSync(
    {
      'META-INF/MANIFEST.MF': text('Manifest-Version: 1.0\n'),
      'APPLET-INF/applet.xml': text(descriptorOf(wanted.applets)),
      ...Object.fromEntries(
        order.map((each) => [
          `${folder}${each}.cap`,
          concat(bytes(tags[each], short(components[each].length)), components[each]),
        ]),
      ),
    },
    // A fixed date keeps the bytes the same.
    { mtime: new Date(2000, 0, 1) },
  )
}
