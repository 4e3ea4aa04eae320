import { fcmTransport } from './fcm-transport.ts'
import { openConnections } from './post-json.ts'
import type { PushSettings } from './push-settings.ts'
import type { PushTransport } from './push-transport.ts'
import { webhookTransport } from './webhook-transport.ts'

export function openPushTransport(
  settings: PushSettings | null,
  now: () => number = Date.now,
): PushTransport | null {
  if (settings === null) return null
  const connections = openConnections(settings.connections)
  return settings.kind === 'fcm'
    ? fcmTransport(settings, connections, now)
    : webhookTransport(settings, connections, now)
}
