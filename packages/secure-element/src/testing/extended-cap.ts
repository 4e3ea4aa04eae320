import { zipSync } from 'fflate'
import { concat, readHex } from '../bytes.ts'

/** Sizes have four bytes in these components. */
const wide = new Set(['Method', 'RefLocation', 'Descriptor', 'StaticResources'])
const names = [
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
  'Descriptor',
  'Debug',
  'StaticResources',
] as const

const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0')

/** The name of the archive and the AID of its CAP file. */
export const extendedAid = 'A00000006203010C'

/**
 * A CAP file in the extended format of Java Card 3.1, built by hand: two packages, an applet in the
 * second block of methods, static resources, and as many bytes of code as requested.
 */
export function extendedCap({
  codeSize = 70_000,
  resources = true,
  directory,
}: { codeSize?: number; resources?: boolean; directory?: (text: string) => string } = {}) {
  const text = (name: string) => Buffer.from(name, 'utf8').toString('hex')
  const contents: Partial<Record<(typeof names)[number], string>> = {
    Header: `DECAFFED 0302 0C 0201 08 ${extendedAid} 02
      0001 05 0102030405 0501 06 010203040506
      0A ${text('example/up')} 00`,
    Applet: '01 08 0102030405060708 01 0008',
    Import: '02 08 01 07 A0000000620101 00 01 07 A0000000620001',
    ConstantPool: '0001 00000000',
    Class: '0000 0080 0000 00',
    Method: '02'.padEnd(codeSize * 2, '0'),
    StaticField: '0000 0000 0000 0000 0000',
    RefLocation: '00000000 00000000',
    Descriptor: '00',
    ...(resources && { StaticResources: '0001 00000000' }),
  }
  const bytes = (name: (typeof names)[number]) => {
    const made = contents[name]
    return made === undefined
      ? undefined
      : Uint8Array.from(Buffer.from(made.replace(/\s/g, ''), 'hex'))
  }
  const digits = (name: string) => (wide.has(name) || name === 'Debug' ? 8 : 4)
  // Sizes, static fields, and the numbers of imports, applets, method blocks and custom components.
  const rest = '0000 0000 0000 02 01 02 00'.replaceAll(' ', '')
  const length = names.reduce((sum, name) => sum + digits(name) / 2, rest.length / 2)
  const sizes = names.map((name) =>
    hex(name === 'Directory' ? length : (bytes(name)?.length ?? 0), digits(name)),
  )
  const listed = `${sizes.join('')}${rest}`
  contents.Directory = directory ? directory(listed) : listed
  return zipSync({
    'META-INF/MANIFEST.MF': new TextEncoder().encode('Manifest-Version: 1.0\n'),
    ...Object.fromEntries(
      names.flatMap((name, index) => {
        const made = bytes(name)
        if (!made) return []
        const size = readHex(hex(made.length, wide.has(name) ? 8 : 4))
        const extension = wide.has(name) ? 'capx' : 'cap'
        return [[`example/javacard/${name}.${extension}`, concat([index + 1], size, made)]]
      }),
    ),
  })
}
