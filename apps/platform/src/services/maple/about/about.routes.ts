import { mapleAboutCalls } from '@grove/contract/maple/about'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import type { MapleCallContext } from '../context.ts'
import { aboutMaple } from './about.service.ts'

export function registerAbout(app: FastifyInstance, context: MapleCallContext): void {
  addCall(app, mapleAboutCalls, 'GET /api/maple/about', ({ actor }) => aboutMaple(context, actor))
}
