import { clientCount } from '../client-count.ts'

export const dynamic = 'force-dynamic'

export function GET() {
  return Response.json(clientCount())
}
