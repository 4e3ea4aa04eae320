import type { WrappedKeys } from '@grove/contract/maple/card/key'
import { keyProtocols, wrappedKeyPattern } from '@grove/contract/maple/card/key.rules'
import { checkCplc } from '@grove/secure-element/cplc'

const isWrapped = (value: unknown): value is string =>
  typeof value === 'string' && new RegExp(wrappedKeyPattern).test(value)

/** Parses keys exported by Grove from the text of a file; undefined for anything else. */
export function readWrapped(
  text: string,
): Pick<WrappedKeys, 'cplc' | 'domain' | 'version' | 'protocol' | 'keys'> | undefined {
  let found: Partial<Record<keyof WrappedKeys, unknown>> | null
  try {
    found = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof found !== 'object' || found?.format !== 'grove-keys') return undefined
  const { cplc, domain, version } = found
  const protocol = keyProtocols.find((each) => each === found.protocol)
  const { enc, mac, dek } = (found.keys ?? {}) as Record<string, unknown>
  const isWhole =
    typeof cplc === 'string' &&
    checkCplc(cplc).kind === 'complete' &&
    typeof version === 'number' &&
    protocol !== undefined &&
    isWrapped(enc) &&
    isWrapped(mac) &&
    isWrapped(dek)
  if (!isWhole) return undefined
  return {
    cplc,
    domain: typeof domain === 'string' ? domain : null,
    version,
    protocol,
    keys: { enc, mac, dek },
  }
}
