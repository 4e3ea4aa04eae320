import { CapError } from '@grove/secure-element/cap/cap-error'
import { loadFileHash, readCapFile, type CapFile } from '@grove/secure-element/cap/cap-file'
import { ProblemError } from '../../../../core/http/problem.ts'
import type { NewApplet } from './applet.queries.ts'

/** @throws ProblemError `applet_unreadable`: what is wrong, and where. */
export function readCap(bytes: Uint8Array): CapFile {
  try {
    return readCapFile(bytes)
  } catch (error) {
    if (!(error instanceof CapError)) throw error
    const { code, message, entry, expected, found } = error
    const params = Object.fromEntries(
      Object.entries({ entry, expected, found }).filter(([, value]) => value !== undefined),
    ) as Record<string, string>
    throw new ProblemError('applet_unreadable', `${message}.`, {
      errors: [{ path: 'file', code, message: `${message}.`, params }],
    })
  }
}

type Described = Omit<NewApplet, 'serviceId' | 'fileName' | 'bytes' | 'sha256' | 'createdBy'>

/** Stored properties of a file besides its contents. */
export async function describeCap(cap: CapFile): Promise<Described> {
  return {
    name: cap.name ?? cap.aid,
    packageAid: cap.aid,
    major: cap.major,
    minor: cap.minor,
    applets: cap.applets.map(({ aid, name = null }) => ({ aid, name })),
    imports: cap.imports,
    javaCard: cap.javaCard ?? null,
    format: cap.format,
    usesIntegers: cap.usesIntegers,
    hasExports: cap.hasExports,
    components: cap.components,
    signatures: cap.signatures.map(({ name }) => name),
    loadSize: cap.code.length,
    loadHash: await loadFileHash(cap.code),
  }
}
