import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import type { MapleCallContext } from '../context.ts'
import {
  addAuthority,
  proveAuthority,
  readAuthorities,
  readCertificates,
  removeAuthority,
  revokeCertificate,
  updateAuthority,
} from './certificate-authority.service.ts'

export function registerCertificateAuthority(app: FastifyInstance, context: MapleCallContext) {
  addCall(app, 'GET /api/maple/device/certificate_authority', ({ actor, query }) =>
    readAuthorities(context, actor, query),
  )
  addCall(app, 'POST /api/maple/device/certificate_authority', ({ actor, body }) =>
    addAuthority(context, actor, body),
  )
  addCall(
    app,
    'POST /api/maple/device/certificate_authority/{id}/proof',
    ({ actor, params, body }) => proveAuthority(context, actor, { ...params, ...body }),
  )
  addCall(
    app,
    'PUT /api/maple/device/certificate_authority/{id}',
    ({ actor, params, revision, body }) =>
      updateAuthority(context, actor, { ...params, revision, change: body }),
  )
  addCall(
    app,
    'DELETE /api/maple/device/certificate_authority/{id}',
    ({ actor, params, revision }) => removeAuthority(context, actor, { ...params, revision }),
  )
  addCall(
    app,
    'GET /api/maple/device/certificate_authority/{id}/certificates',
    ({ actor, params }) => readCertificates(context, actor, params),
  )
  addCall(
    app,
    'POST /api/maple/device/certificate_authority/{id}/revoked',
    ({ actor, params, body }) => revokeCertificate(context, actor, { ...params, ...body }),
  )
}
