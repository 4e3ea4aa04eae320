import { zipSync, type Zippable } from 'fflate'
import { concat, readHex } from '../bytes.ts'

/** A component: tag, size and contents. */
export const component = (tag: number, hex: string) => {
  const content = hex === '' ? new Uint8Array() : readHex(hex)
  return concat([tag, content.length >> 8, content.length & 0xff], content)
}

const ten = [
  'Header',
  'Directory',
  'Applet',
  'Import',
  'ConstantPool',
  'Class',
  'Method',
  'StaticField',
  'RefLocation',
  'Export',
]

export interface Parts {
  header?: string
  applet?: string
  import?: string
  directory?: string
}

/** The components of a package like Empty, written by hand: one applet, two imports. */
export function components(parts: Parts = {}) {
  const made: Record<string, Uint8Array> = {
    Header: component(1, parts.header ?? 'DECAFFED 0102 04 0001 05 0102030405'),
    Applet: component(3, parts.applet ?? '01 08 0102030405060708 0008'),
    Import: component(4, parts.import ?? '02 02 01 07 A0000000620101 00 01 07 A0000000620001'),
    ConstantPool: component(5, '0001 00000000'),
    Class: component(6, '0080 0000 00'),
    Method: component(7, '00 0110 188C00'),
    StaticField: component(8, '0000 0000 0000 0000 0000'),
    RefLocation: component(9, '0000 0000'),
  }
  const size = (name: string) => (made[name] ? made[name].length - 3 : 0)
  const sizes = ten.map((name) => (name === 'Directory' ? 31 : size(name)))
  const listed = [...sizes, 0].map((each) => each.toString(16).padStart(4, '0')).join('')
  made['Directory'] = component(2, parts.directory ?? `${listed} 0000 0000 0000 02 01 00`)
  return made
}

export const archive = (made: Record<string, Uint8Array>, more: Zippable = {}) =>
  zipSync({
    'META-INF/MANIFEST.MF': new TextEncoder().encode('Manifest-Version: 1.0\n'),
    ...Object.fromEntries(
      Object.entries(made).map(([name, data]) => [`example/empty/javacard/${name}.cap`, data]),
    ),
    ...more,
  })
