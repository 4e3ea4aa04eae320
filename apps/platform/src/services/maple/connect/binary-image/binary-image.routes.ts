import { binaryImageCalls } from '@grove/contract/maple/connect/binary-image'
import type { FastifyInstance } from 'fastify'
import { largestImage } from '@grove/contract/maple/connect/binary-image.rules'
import { sendFile } from '../../../../core/artifact/send-file.ts'
import { addCall } from '../../../../core/http/add-call.ts'
import type { ConnectContext } from '../context.ts'
import { peerCertificate } from '../gateway/tls/peer-certificate.ts'
import {
  changeState,
  listImages,
  openFile,
  removeImage,
  updateImage,
  uploadImage,
} from './binary-image.service.ts'
import { openForDevice } from './device-download.ts'
import { addKey, readKeys, removeKey } from './image-key.service.ts'

export function registerBinaryImage(app: FastifyInstance, context: ConnectContext): void {
  addCall(app, binaryImageCalls, 'GET /api/maple/binary_images', ({ actor, query }) =>
    listImages(context, actor, query),
  )
  addCall(app, binaryImageCalls, 'POST /api/maple/binary_images', async ({ actor, upload }) =>
    uploadImage(context, actor, { file: await upload(largestImage) }),
  )
  addCall(
    app,
    binaryImageCalls,
    'PUT /api/maple/binary_images/{id}',
    ({ actor, params, revision, body }) =>
      updateImage(context, actor, { ...params, revision, change: body }),
  )
  addCall(
    app,
    binaryImageCalls,
    'POST /api/maple/binary_images/{id}/state',
    ({ actor, params, revision, body }) =>
      changeState(context, actor, { ...params, revision, ...body }),
  )
  addCall(
    app,
    binaryImageCalls,
    'DELETE /api/maple/binary_images/{id}',
    ({ actor, params, revision }) => removeImage(context, actor, { ...params, revision }),
  )
  addCall(
    app,
    binaryImageCalls,
    'GET /api/maple/binary_images/{id}/file',
    async ({ actor, params, reply }) => sendFile(reply, await openFile(context, actor, params)),
  )
  addCall(app, binaryImageCalls, 'GET /api/maple/binary_images/keys', ({ actor }) =>
    readKeys(context, actor),
  )
  addCall(app, binaryImageCalls, 'POST /api/maple/binary_images/keys', ({ actor, body }) =>
    addKey(context, actor, body),
  )
  addCall(app, binaryImageCalls, 'DELETE /api/maple/binary_images/keys', ({ actor, query }) =>
    removeKey(context, actor, query),
  )
  registerDeviceDownload(app, context)
}

/** The download that devices fetch from the host that they are connected to. */
export function registerDeviceDownload(
  app: FastifyInstance,
  context: Parameters<typeof openForDevice>[0],
): void {
  addCall(
    app,
    binaryImageCalls,
    'GET /api/maple/device/image/{id}',
    async ({ params, request, reply }) => {
      const { status, headers, stream } = await openForDevice(context, {
        ...params,
        headers: request.headers,
        certificate: peerCertificate(request.raw.socket),
      })
      return reply.code(status).headers(headers).type('application/octet-stream').send(stream)
    },
  )
}
