import { buffer } from 'node:stream/consumers'
import type { ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { CapFile } from '@grove/secure-element/cap/cap-file'
import { compareExports } from '@grove/secure-element/cap/verify/compare-exports'
import { stopsLoading } from '@grove/secure-element/cap/verify/finding'
import { verifyCap, type CapVerification } from '@grove/secure-element/cap/verify/verify-cap'
import type { Actor } from '../../../../core/actor.ts'
import { scopeOf } from '../../../../core/scope.ts'
import type { FleetContext } from '../../fleet/context.ts'
import { openBytes } from '../../../../core/artifact/artifact-service.ts'
import { required } from './applet.service.ts'
import { findFormer, type AppletFacts } from './applet.queries.ts'
import type { CapFlaws } from './plan-operation.ts'
import { readCap } from './read-cap.ts'

type Context = Pick<FleetContext, 'db' | 'objects'>
type Verification = ResponseOf<Calls['GET /api/maple/applets/{id}/verification']>

/** By the hash of the file, whose content never changes; the oldest is dropped first. */
const verified = new Map<string, CapVerification>()
const maxVerified = 100

function verificationOf(sha256: string, file: Uint8Array): CapVerification {
  const found = verified.get(sha256) ?? verifyCap(file)
  verified.delete(sha256)
  verified.set(sha256, found)
  for (const [oldest] of verified) {
    if (verified.size <= maxVerified) break
    verified.delete(oldest)
  }
  return found
}

const bytesOf = async (context: Context, { sha256 }: Pick<AppletFacts, 'sha256'>) =>
  buffer(await openBytes(context, sha256))

function flawsOf({ findings }: CapVerification): CapFlaws {
  const unlinkable = findings.find(stopsLoading)?.message
  return {
    errors: findings.filter(({ severity }) => severity === 'error').length,
    ...(unlinkable !== undefined && { unlinkable }),
  }
}

/**
 * The CAP file of an applet, and the result of its verification. @throws ProblemError `file_damaged`.
 */
export async function readVerifiedCap(
  context: Context,
  applet: Pick<AppletFacts, 'sha256'>,
): Promise<{ cap: CapFile; flaws: CapFlaws }> {
  const file = await bytesOf(context, applet)
  return { cap: readCap(file), flaws: flawsOf(verificationOf(applet.sha256, file)) }
}

/** @throws ProblemError `not_found` or `file_damaged`. */
export async function readVerification(
  context: Context,
  actor: Actor,
  { id }: { id: string },
): Promise<Verification> {
  const applet = await required(context.db, actor, id)
  const file = await bytesOf(context, applet)
  const { findings, ...rest } = verificationOf(applet.sha256, file)
  const former = applet.hasExports
    ? await findFormer(context.db, applet, scopeOf(actor))
    : undefined
  return {
    ...rest,
    findings: findings.map(({ method, ...finding }) => ({
      ...finding,
      stopsLoading: stopsLoading({ ...finding, method }),
      method: method && {
        number: method.number,
        offset: method.offset,
        block: method.block ?? null,
        classOffset: method.classOffset ?? null,
        classToken: method.classToken ?? null,
        token: method.token ?? null,
      },
    })),
    former: former
      ? {
          id: former.id,
          version: former.version,
          breaks: compareExports(await bytesOf(context, former), file).breaks.map(
            ({ package: packageNumber, class: classToken, token, code, message }) => ({
              code,
              packageNumber,
              classToken,
              token: token ?? null,
              message,
            }),
          ),
        }
      : null,
  }
}
