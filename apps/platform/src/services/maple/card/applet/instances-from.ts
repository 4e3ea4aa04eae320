import { appletOperationCalls } from '@grove/contract/maple/card/applet-operation'
import type { AppletInstance } from '@grove/contract/maple/card/applet-operation'
import { validatorFor } from '../../../../core/http/validator.ts'
import { CallError } from '../../../../core/sandbox/sandbox.ts'

const { instances: schema } =
  appletOperationCalls['POST /api/maple/applets/{id}/operation'].body.properties
const isValid = validatorFor(schema, 'body')

/** The instances that a program names, by the rules of the call. @throws CallError */
export function instancesFrom(given: unknown): AppletInstance[] | undefined {
  if (given === undefined || given === null) return undefined
  if (isValid(given)) return given as AppletInstance[]
  const [error] = isValid.errors ?? []
  const place = `instances${(error?.instancePath ?? '').replaceAll('/', '.')}`
  throw new CallError('TypeError', `${place} ${error?.message ?? 'is wrong'}.`)
}
