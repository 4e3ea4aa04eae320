import { readCapFile } from '@grove/secure-element/cap/cap-file'
import { verifyCap } from '@grove/secure-element/cap/verify/verify-cap'
import type { CapDescription } from './cap-view.tsx'

/** Parses a dropped file as the server will. @throws CapError */
export function describeCap(bytes: Uint8Array): CapDescription & { errors: number } {
  const cap = readCapFile(bytes)
  return {
    name: cap.name ?? cap.aid,
    packageAid: cap.aid,
    version: `${cap.major}.${cap.minor}`,
    javaCard: cap.javaCard ?? null,
    format: cap.format,
    usesIntegers: cap.usesIntegers,
    hasExports: cap.hasExports,
    loadSize: cap.code.length,
    applets: cap.applets.map(({ aid, name = null }) => ({ aid, name })),
    imports: cap.imports,
    components: cap.components,
    signatures: cap.signatures.map(({ name }) => name),
    errors: verifyCap(bytes).findings.filter(({ severity }) => severity === 'error').length,
  }
}
