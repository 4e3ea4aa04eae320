import type { Event } from '@grove/contract/core/event'
import type { ServiceName } from '@grove/contract/call'
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
    'product.link': t`Created an app’s link`,
    'product.unlink': t`Removed an app’s link`,
    'product.share': t`Shared an app by a link`,
    'product.unshare': t`Removed a shared link`,
    'version.create': t`Created a version`,
    'version.update': t`Changed a version`,
    'version.delete': t`Deleted a version`,
    'version.enable': t`Published a version`,
    'version.disable': t`Unpublished a version`,
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
    'apiKey.create': t`Created an API key`,
    'apiKey.revoke': t`Revoked an API key`,
    'publishKey.create': t`Created a publish key`,
    'publishKey.revoke': t`Revoked a publish key`,
    'device.create': t`Registered a device`,
    'device.update': t`Changed a device`,
    'device.retire': t`Retired a device`,
    'device.import': t`Imported devices`,
    'device.export': t`Exported devices`,
    'device_bulk.create': t`Changed devices in bulk`,
    'device_group.create': t`Created a group of devices`,
    'device_group.update': t`Changed a group of devices`,
    'device_group.delete': t`Deleted a group of devices`,
    'device_group.add': t`Added devices to a group`,
    'device_group.remove': t`Removed devices from a group`,
    'device_view.create': t`Saved a view of devices`,
    'device_view.update': t`Changed a saved view of devices`,
    'device_view.delete': t`Deleted a saved view of devices`,
    'credential.create': t`Created a secret for the device`,
    'credential.revoke': t`Revoked a secret of the device`,
    'device.certify': t`Connected with a new certificate`,
    'device.claim': t`Connected with a claim code`,
    'device.dispute': t`Refused a proof: another service provider has the device. An administrator can move it`,
    'device.lose': t`Lost its ID to a device with proof`,
    'device.take_over': t`Took its ID from an unproven registration`,
    'element.dispute': t`Refused a proof: another service provider has the element. An administrator can move it`,
    'element.lose': t`Lost its CPLC to an element with proof`,
    'element.take_over': t`Took its CPLC from an unproven registration`,
    'command.send': t`Sent a command to the device`,
    'command.cancel': t`Cancelled a command to the device`,
    'twin.update': t`Changed the desired state of the device`,
    'authority.create': t`Added a certificate authority`,
    'authority.delete': t`Deleted a certificate authority`,
    'authority.prove': t`Proved ownership of a certificate authority`,
    'authority.revoke': t`Revoked a certificate`,
    'authority.update': t`Changed a certificate authority`,
    'claim_code.create': t`Created a claim code`,
    'claim_code.revoke': t`Revoked a claim code`,
    'reader.create': t`Allowed a card reader to connect`,
    'reader.connect': t`Connected a card reader`,
    'reader.delete': t`Disconnected a card reader`,
    'script.create': t`Created a script`,
    'script.update': t`Changed a script`,
    'script.delete': t`Deleted a script`,
    'script.publish': t`Published a script`,
    'script.rollback': t`Rolled back a script`,
    'script.run': t`Ran a script`,
    'script.cancel': t`Cancelled a script`,
    'script.set_secret': t`Set a secret of a script`,
    'script.delete_secret': t`Deleted a secret of a script`,
    'iot_product.create': t`Created a device product`,
    'iot_product.update': t`Changed a device product`,
    'iot_product.move': t`Changed the life cycle state of a product`,
    'iot_product.delete': t`Deleted a device product`,
    'binary_image.upload': t`Uploaded a firmware image`,
    'binary_image.update': t`Changed a firmware image`,
    'binary_image.verify': t`Verified a firmware image`,
    'binary_image.release': t`Released a firmware image`,
    'binary_image.revoke': t`Revoked a firmware image`,
    'binary_image.delete': t`Deleted a firmware image`,
    'image_key.create': t`Added a signing key`,
    'image_key.delete': t`Removed a signing key`,
    'device_handler.create': t`Created a device handler`,
    'device_handler.update': t`Changed the draft of a device handler`,
    'device_handler.publish': t`Published a version of a device handler`,
    'device_handler.rollback': t`Restored a version of a device handler`,
    'device_handler.delete': t`Deleted a device handler`,
    'cloud_handler.create': t`Created a cloud handler`,
    'cloud_handler.update': t`Changed the draft of a cloud handler`,
    'cloud_handler.disable': t`Disabled a cloud handler`,
    'cloud_handler.enable': t`Enabled a cloud handler`,
    'cloud_handler.deploy': t`Deployed a cloud handler`,
    'cloud_handler.roll_back': t`Rolled back a cloud handler`,
    'cloud_handler.delete': t`Deleted a cloud handler`,
    'cloud_handler.set_secret': t`Set a secret of a cloud handler`,
    'cloud_handler.delete_secret': t`Deleted a secret of a cloud handler`,
    'cloud_handler.test': t`Tested a cloud handler`,
    'cloud_handler.resend': t`Resent deliveries of a cloud handler`,
    'rollout.create': t`Created a rollout`,
    'rollout.update': t`Changed a rollout`,
    'rollout.delete': t`Deleted a rollout`,
    'rollout.start': t`Started a rollout`,
    'rollout.pause': t`Paused a rollout`,
    'rollout.resume': t`Resumed a rollout`,
    'rollout.next_group': t`Started the next group of a rollout`,
    'rollout.stop': t`Stopped a rollout`,
    'rollout.finish': t`Finished a rollout`,
    'rollout.roll_back': t`Created a rollback of a rollout`,
    'rollout.retry': t`Created a retry of a rollout`,
    'rollout.policy': t`Changed who may start rollouts`,
    'applet.upload': t`Uploaded an applet`,
    'applet.verify': t`Verified an applet`,
    'applet.release': t`Released an applet`,
    'applet.revoke': t`Revoked an applet`,
    'applet.delete': t`Deleted an applet`,
    'applet.install': t`Installed an applet`,
    'applet.upgrade': t`Upgraded an applet`,
    'applet.uninstall': t`Uninstalled an applet`,
    'applet.read': t`Read the applets of elements`,
    'applet.cancel': t`Cancelled an installation`,
    'applet.retry': t`Retried an installation`,
    'template.create': t`Created a template`,
    'template.update': t`Changed a template`,
    'template.publish': t`Published a template`,
    'template.deprecate': t`Deprecated a template`,
    'template.restore': t`Restored a template`,
    'template.delete': t`Deleted a template`,
    'template.run': t`Ran a template`,
    'template.cancel': t`Cancelled a run of a template`,
    'software_card.break': t`Broke or repaired a software card`,
    'software_card.create': t`Created a software card`,
    'software_card.delete': t`Deleted a software card`,
    'software_card.forget': t`Deleted a snapshot of a software card`,
    'software_card.reset': t`Reset a software card`,
    'software_card.restore': t`Restored a software card`,
    'software_card.snapshot': t`Saved a snapshot of a software card`,
    'software_card.update': t`Renamed a software card`,
    'element.attach': t`Attached a secure element`,
    'element.block': t`Blocked a secure element after wrong keys`,
    'approval.approve': t`Approved a request`,
    'approval.expire': t`A request expired`,
    'approval.refuse': t`Refused a request`,
    'approval.request': t`Requested approval`,
    'approval.withdraw': t`Withdrew a request`,
    'key_set.import': t`Imported keys`,
    'key_set.retire': t`Retired keys`,
    'key_set.rollback': t`Found the old keys on the card`,
    'key_set.rotate': t`Rotated keys`,
    'master.create': t`Imported a master key`,
    'master.delete': t`Deleted a master key`,
    'element.create': t`Registered a secure element`,
    'element.delete': t`Deleted a secure element`,
    'element.detach': t`Detached a secure element`,
    'element.domains': t`Changed the security domains`,
    'element.export': t`Exported secure elements`,
    'element.hsm': t`Moved keys`,
    'element.lock': t`Locked a card`,
    'element.read': t`Read a card`,
    'element.unlock': t`Unlocked a card`,
    'element.install': t`Installed an applet on an element`,
    'element.uninstall': t`Uninstalled an applet from an element`,
    'element.upgrade': t`Upgraded an applet on an element`,
    'element.profile': t`Assigned a profile of secure elements`,
    'element.replace': t`Replaced a CPLC`,
    'element.terminate': t`Terminated a card`,
    'element.unblock': t`Unblocked a secure element`,
    'profile.create': t`Created a profile of secure elements`,
    'profile.delete': t`Deleted a profile of secure elements`,
    'profile.update': t`Renamed a profile of secure elements`,
    'session.open': t`Opened a session with a secure element`,
    'session.close': t`Ended a session with a secure element`,
    'session.take_over': t`Took over a session with a secure element`,
    'service.create': t`Created a service provider`,
    'service.update': t`Changed a service provider`,
    'service.delete': t`Deleted a service provider`,
    'role.grant': t`Granted a role`,
    'role.revoke': t`Revoked a role`,
    'wearable.unlink': t`Unlinked a wearable`,
    'job.retry': t`Retried a job`,
    'job.cancel': t`Cancelled a job`,
    'security.refused': t`Refused requests`,
  }
  return { actionOf: (action: string) => actions[action] ?? action }
}

export function EventActor({ actor }: Pick<Event, 'actor'>) {
  const { t } = useLingui()
  if (actor === null) return <span className="muted">{t`Not signed in`}</span>
  // It is nobody's account.
  if (actor.startsWith('key:'))
    return <span title={actor}>{t`Publish key ${shortId(actor.slice(4))}`}</span>
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
