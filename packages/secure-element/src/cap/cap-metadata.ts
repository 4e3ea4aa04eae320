import { readEntry, type ZipEntry } from './zip-entries.ts'

/** A signature of the package inside the archive, for a domain that verifies it. */
export interface CapSignature {
  /** Such as `rsa.sha256`. */
  name: string
  signature: Uint8Array
}

/** As capfile stores them (martinpaljak/capfile, CAPFile.java). */
const signatureEntry = /^META-INF\/dap\.((?:rsa|p256)\.sha(?:1|256))$/
const maxSignatureLength = 1024

/** @throws CapError if an entry is damaged. */
export const readSignatures = (archive: Uint8Array, entries: readonly ZipEntry[]): CapSignature[] =>
  entries.flatMap((entry) => {
    const name = signatureEntry.exec(entry.name)?.[1]
    return name === undefined
      ? []
      : [{ name, signature: readEntry(archive, entry, maxSignatureLength) }]
  })

const descriptor = 'APPLET-INF/applet.xml'
const largestDescriptor = 256 * 1024
const applet = /<applet>([^]*?)<\/applet>/g
const valueOf = (text: string, tag: string) =>
  new RegExp(`<${tag}>\\s*([^<]{1,200}?)\\s*</${tag}>`).exec(text)?.[1]

/**
 * The applet class names by AID, from the descriptor that converters add since Java Card 3.0.1. Only
 * these names are read, so an unknown descriptor yields none.
 */
export function readAppletNames(
  archive: Uint8Array,
  entries: readonly ZipEntry[],
): Map<string, string> {
  const names = new Map<string, string>()
  const entry = entries.find(({ name }) => name === descriptor)
  if (!entry) return names
  const text = new TextDecoder().decode(readEntry(archive, entry, largestDescriptor))
  for (const [, body = ''] of text.matchAll(applet)) {
    const aid = valueOf(body, 'applet-AID')
      ?.replaceAll(/^\/\/aid\/|\//g, '')
      .toUpperCase()
    const name = valueOf(body, 'applet-class')
    if (aid !== undefined && name !== undefined) names.set(aid, name)
  }
  return names
}
