import type { FastifyInstance } from 'fastify'
import { addCall, type CallInput } from '../../../core/http/add-call.ts'
import type { Platform } from '../../../core/platform.ts'
import { listDevices } from './device-list.service.ts'
import { createDevice, detachElement, retireDevice, updateDevice } from './device.service.ts'
import type { Calls } from '@grove/contract'

type Call = CallInput<Calls[`${'POST' | 'PUT' | 'DELETE'} /api/maple/device`]>
const author = ({ caller, origin }: Pick<Call, 'caller' | 'origin'>) => ({
  actor: caller.userId,
  origin,
})

export function registerDevice(app: FastifyInstance, { db }: Platform): void {
  addCall(app, 'maple', 'GET /api/maple/device', ({ query }) => listDevices(db, query))

  addCall(app, 'maple', 'POST /api/maple/device', (call) =>
    createDevice(db, author(call), call.body),
  )

  addCall(app, 'maple', 'PUT /api/maple/device', (call) =>
    updateDevice(db, author(call), call.query.id, call.revision, call.body),
  )

  addCall(app, 'maple', 'DELETE /api/maple/device', async (call) => {
    const { id, cplc } = call.query
    if (cplc === undefined) await retireDevice(db, author(call), id, call.revision)
    else await detachElement(db, author(call), id, call.revision, cplc)
    return null
  })
}
