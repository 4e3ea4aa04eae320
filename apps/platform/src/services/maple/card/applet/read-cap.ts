import { buffer } from 'node:stream/consumers'
import type { Applet } from '@grove/contract/maple/card/applet'
import { CapError } from '@grove/secure-element/cap/cap-error'
import { loadFileHash, readCapFile, type CapFile } from '@grove/secure-element/cap/cap-file'
import { openBytes } from '../../../../core/artifact/artifact-service.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import type { FleetContext } from '../../fleet/context.ts'
import type { CapFacts } from './applet.queries.ts'

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

/** The CAP file of an applet. @throws ProblemError `file_damaged`. */
export const readCapOf = async (
  context: Pick<FleetContext, 'objects'>,
  { sha256 }: Pick<Applet, 'sha256'>,
) => readCap(await buffer(await openBytes(context, sha256)))

/** Stored properties of a file, by column, without its contents. */
export async function describeCap(cap: CapFile) {
  const facts: CapFacts = {
    applets: cap.applets.map(({ aid, name = null }) => ({ aid, name })),
    imports: cap.imports,
    javaCard: cap.javaCard ?? null,
    format: cap.format,
    usesIntegers: cap.usesIntegers,
    hasExports: cap.hasExports,
    components: cap.components,
    signatures: cap.signatures.map(({ name }) => name),
  }
  return {
    name: cap.name ?? cap.aid,
    package_aid: cap.aid,
    major: cap.major,
    minor: cap.minor,
    facts: JSON.stringify(facts),
    load_size: cap.code.length,
    load_hash: await loadFileHash(cap.code),
  }
}
