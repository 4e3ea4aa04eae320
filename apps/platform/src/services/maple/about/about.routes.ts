import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import type { KeyContext } from '../key/key-provider.ts'
import { aboutMaple } from './about.service.ts'

export function registerAbout(app: FastifyInstance, context: KeyContext): void {
  addCall(app, 'GET /api/maple/about', ({ actor }) => aboutMaple(context, actor))
}
