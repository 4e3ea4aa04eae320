import type { Event, ServiceName } from '@grove/contract'
import { useLingui } from '@lingui/react/macro'
import { Link } from '../link/link.tsx'

/** What each action did, in the past tense; an action that this console does not know stays as it is. */
export function useEventWords() {
  const { t } = useLingui()
  const actions: Record<string, string> = {
    'account.create': t`Created an account`,
    'account.update': t`Changed a profile`,
    'account.enable': t`Enabled an account`,
    'account.disable': t`Disabled an account`,
    'account.delete': t`Deleted an account`,
    'account.validate_email': t`Confirmed an email address`,
    'account.change_password': t`Changed a password`,
    'account.reset_password': t`Reset a password`,
    'identity.link': t`Linked an identity`,
    'identity.unlink': t`Unlinked an identity`,
    'session.start': t`Signed in`,
    'session.end': t`Signed out`,
    'session.revoke': t`Ended a session`,
    'key.rotate': t`Rotated the signing key`,
    'key.retire': t`Retired a signing key`,
    'key.reseal': t`Replaced the secret`,
    'provider.create': t`Created a provider`,
    'provider.icon': t`Changed a provider’s icon`,
    'provider.update': t`Changed a provider`,
    'provider.delete': t`Deleted a provider`,
    'provider.key': t`Changed a provider’s API key`,
    'provider.key.revoke': t`Revoked an API key of a provider`,
    'provider.link': t`Linked a user to a provider`,
    'provider.unlink': t`Unlinked a user from a provider`,
    'provider.transfer': t`Transferred apps to a provider`,
    'provider.transfer.away': t`Transferred apps to another provider`,
    'provider.transfer.undo': t`Undid a transfer of apps`,
    'product.create': t`Created an app`,
    'product.update': t`Changed an app`,
    'product.delete': t`Deleted an app`,
    'product.default': t`Made an app the default`,
    'product.icon': t`Changed an app’s icon`,
    'product.link': t`Gave an app a link`,
    'product.unlink': t`Removed an app’s link`,
    'product.share': t`Shared an app by a link`,
    'product.unshare': t`Removed a shared link`,
    'version.create': t`Created a version`,
    'version.update': t`Changed a version`,
    'version.delete': t`Deleted a version`,
    'version.enable': t`Put a version live`,
    'version.disable': t`Took a version offline`,
    'version.download': t`Downloaded a package`,
    'version.image.add': t`Added a screenshot`,
    'version.image.order': t`Reordered screenshots`,
    'version.image.remove': t`Removed a screenshot`,
    'version.package': t`Uploaded a package`,
    'version.package.refused': t`Uploaded a package that was refused`,
    'notification.create': t`Composed a notification`,
    'notification.cancel': t`Cancelled a notification`,
    'notification.test': t`Sent a test notification`,
    'push_device.test': t`Changed a test device`,
    'publishKey.create': t`Created a publish key`,
    'publishKey.revoke': t`Revoked a publish key`,
    'device.create': t`Registered a device`,
    'device.update': t`Changed a device`,
    'device.retire': t`Retired a device`,
    'device.import': t`Imported devices`,
    'element.detach': t`Detached a secure element`,
    'wearable.unlink': t`Unlinked a wearable`,
    'job.retry': t`Ran a job again`,
    'job.cancel': t`Cancelled a job`,
    'security.refused': t`Refused requests`,
  }
  return { actionOf: (action: string) => actions[action] ?? action }
}

export function EventActor({ actor }: Pick<Event, 'actor'>) {
  const { t } = useLingui()
  if (actor === null) return <span className="muted">{t`Nobody signed in`}</span>
  return (
    <Link to="/dashboard/cedar/account/people" search={{ account: actor }} preload={false}>
      <code>{shortId(actor)}</code>
    </Link>
  )
}

export const shortId = (id: string) => (id.length > 13 ? `${id.slice(0, 8)}…` : id)

interface EventSubjectProps {
  service: ServiceName
  event: Event
}

/** What an event is about, with a link where it has a page. */
export function EventSubject({ service, event: { action, subject } }: EventSubjectProps) {
  const id = <code title={subject}>{shortId(subject)}</code>
  switch (action === 'device.import' ? '' : `${service} ${action.split('.')[0]}`) {
    case 'maple device':
    case 'maple element':
    case 'maple wearable':
      return (
        <Link to="/dashboard/maple/devices" search={{ device: subject }} preload={false}>
          {id}
        </Link>
      )
    case 'maple account':
      return (
        <Link to="/dashboard/maple/accounts" search={{ account: subject }} preload={false}>
          {id}
        </Link>
      )
    case 'auth account':
      return (
        <Link to="/dashboard/cedar/account/people" search={{ account: subject }} preload={false}>
          {id}
        </Link>
      )
    case 'cedar product':
      return (
        <Link
          to="/dashboard/cedar/mobile/$productId"
          params={{ productId: subject }}
          preload={false}
        >
          {id}
        </Link>
      )
    default:
      return action.startsWith('job.') ? (
        <Link to="/dashboard/system/jobs" search={{ service, job: subject }} preload={false}>
          {id}
        </Link>
      ) : (
        id
      )
  }
}
