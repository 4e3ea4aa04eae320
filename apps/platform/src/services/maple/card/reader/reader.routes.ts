import { readerCalls } from '@grove/contract/maple/card/reader'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../../core/http/add-call.ts'
import type { CallContext } from '../../base/context.ts'
import type { CardContext } from '../context.ts'
import { acceptReaders } from './reader-socket.ts'
import { claim, createReader, readReaders, removeReader } from './reader.service.ts'

export function registerReader(app: FastifyInstance, context: CardContext & CallContext): void {
  addCall(app, readerCalls, 'GET /api/maple/reader', ({ actor, query }) =>
    readReaders(context, actor, query),
  )
  addCall(app, readerCalls, 'POST /api/maple/reader', ({ actor, body }) =>
    createReader(context, actor, body),
  )
  addCall(app, readerCalls, 'DELETE /api/maple/reader', ({ actor, query }) =>
    removeReader(context, actor, query),
  )
  addCall(app, readerCalls, 'POST /api/maple/reader/claim', ({ actor, body }) =>
    claim(context, actor, body),
  )
  acceptReaders(app, context)
}
