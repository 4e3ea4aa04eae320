import type { MapleRight } from '@grove/contract/maple/access/right.rules'
import { useLingui } from '@lingui/react/macro'

/** What each right allows. */
export function useRightWords(): Record<MapleRight, string> {
  const { t } = useLingui()
  return {
    'overview.read': t`See the overview`,
    'device.read': t`See devices`,
    'device.change': t`Register, change and retire devices`,
    'device.import': t`Import devices`,
    'device.command': t`Send commands to devices`,
    'element.read': t`See secure elements`,
    'element.change': t`Change secure elements and profiles`,
    'element.secure': t`Change keys, the HSM and security domains`,
    'session.read': t`See sessions`,
    'session.run': t`Open sessions and send commands`,
    'session.raw': t`Send raw bytes`,
    'applet.read': t`See applets`,
    'applet.change': t`Upload and install applets`,
    'card.read': t`See software cards`,
    'card.change': t`Create and break software cards`,
    'program.read': t`See templates, scripts and handlers`,
    'program.change': t`Write templates, scripts and handlers`,
    'program.run': t`Run templates and scripts`,
    'product.read': t`See products and firmware images`,
    'product.change': t`Change products, claim codes and firmware images`,
    'rollout.read': t`See rollouts`,
    'rollout.run': t`Create, start and stop rollouts`,
    'service.read': t`See service providers`,
    'service.change': t`Add, suspend and delete service providers`,
    'key.read': t`See keys`,
    'approval.give': t`Approve other people’s requests`,
    'account.read': t`See accounts`,
    'account.change': t`Register, change and delete accounts`,
    'role.read': t`See roles`,
    'role.grant': t`Grant and revoke roles`,
    'job.read': t`See jobs`,
    'job.change': t`Retry and cancel jobs`,
    'event.read': t`See the audit trail`,
  }
}
