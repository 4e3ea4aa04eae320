import type { PrivilegeName } from '@grove/secure-element/privileges'
import { useLingui } from '@lingui/react/macro'
import { termLabels } from '../../base/decode/term.labels.ts'

/** The privileges of an application in words. */
export function GrantedPrivileges({ names }: { names: readonly PrivilegeName[] }) {
  const { i18n } = useLingui()
  return names.map((name) => i18n._(termLabels[`privilege.${name}`])).join(', ')
}
