import { certificateAuthorityCalls } from '@grove/contract/maple/connect/certificate-authority'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../../core/http/add-call.ts'
import type { ConnectContext } from '../context.ts'
import {
  addAuthority,
  proveAuthority,
  readAuthorities,
  readCertificates,
  readCertificatesOfDevice,
  removeAuthority,
  revokeCertificate,
  updateAuthority,
} from './certificate-authority.service.ts'

export function registerCertificateAuthority(app: FastifyInstance, context: ConnectContext) {
  addCall(
    app,
    certificateAuthorityCalls,
    'GET /api/maple/device/certificate_authority',
    ({ actor, query }) => readAuthorities(context, actor, query),
  )
  addCall(
    app,
    certificateAuthorityCalls,
    'POST /api/maple/device/certificate_authority',
    ({ actor, body }) => addAuthority(context, actor, body),
  )
  addCall(
    app,
    certificateAuthorityCalls,
    'POST /api/maple/device/certificate_authority/{id}/proof',
    (call) => proveAuthority(context, call.actor, { ...call.params, ...call.body }),
  )
  addCall(
    app,
    certificateAuthorityCalls,
    'PUT /api/maple/device/certificate_authority/{id}',
    (call) =>
      updateAuthority(context, call.actor, {
        ...call.params,
        revision: call.revision,
        change: call.body,
      }),
  )
  addCall(
    app,
    certificateAuthorityCalls,
    'DELETE /api/maple/device/certificate_authority/{id}',
    (call) => removeAuthority(context, call.actor, { ...call.params, revision: call.revision }),
  )
  addCall(
    app,
    certificateAuthorityCalls,
    'GET /api/maple/device/certificate_authority/{id}/certificates',
    (call) => readCertificates(context, call.actor, call.params),
  )
  addCall(app, certificateAuthorityCalls, 'GET /api/maple/device/certificate', ({ actor, query }) =>
    readCertificatesOfDevice(context, actor, query),
  )
  addCall(
    app,
    certificateAuthorityCalls,
    'POST /api/maple/device/certificate_authority/{id}/revoked',
    (call) => revokeCertificate(context, call.actor, { ...call.params, ...call.body }),
  )
}
