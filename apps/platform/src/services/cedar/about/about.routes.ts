import { cedarAboutCalls } from '@grove/contract/cedar/about'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'

export function aboutRoutes(app: FastifyInstance, apiVersion: string): void {
  addCall(app, cedarAboutCalls, 'GET /api/cedar/about', () => ({
    name: 'cedar' as const,
    apiVersion,
  }))
}
