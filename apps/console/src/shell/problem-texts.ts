import type { ProblemCode } from '@grove/contract'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { addProblemTexts, type HostAppProblem, type VisitorProblem } from '../api/problem-text.ts'

// The codes of the dashboard's own calls: visitors' pages do not load them. Complete by its type.
addProblemTexts({
  version_taken: msg`This version number exists already.`,
  version_not_higher: msg`The version number must be higher than every earlier one.`,
  version_is_final: msg`The package of this version can no longer change. Create a new version.`,
  version_is_live: msg`This version is live. Disable it first.`,
  product_is_live: msg`A version of this app is live. Disable it first.`,
  version_never_live: msg`This version has never been live. Enable it first.`,
  package_missing: msg`This version has no package that passed its checks.`,
  preview_off: msg`Previews are turned off: they need a domain of their own. An administrator can set it.`,
  refused_package_gone: msg`The refused file is no longer kept. Upload it again.`,
  permission_missing: msg`The package asks for a permission that its provider was not granted. An administrator can grant it.`,
  translation_missing: msg`A translation is missing. Fill in both languages.`,
  limit_reached: msg`A limit is reached. Delete what is no longer needed first.`,
  device_id_taken: msg`Another device has this id.`,
  element_attached_elsewhere: msg`This secure element belongs to another device. Detach it there first.`,
  transition_refused: msg`The device cannot go from its current state to this one.`,
  job_finished: msg`This job has already finished.`,
  job_not_finished: msg`Only a failed or cancelled job can run again.`,
  job_input_gone: msg`This job can no longer run: its input is gone.`,
  file_missing: msg`No file was sent.`,
  file_too_large: msg`The file is too large.`,
  image_refused: msg`This image cannot be used.`,
  already_exists: msg`This exists already.`,
  edit_conflict: msg`Someone else changed this meanwhile. Reload it to see their changes, then make yours again.`,
  provider_is_personal: msg`A personal provider stays with its developer.`,
  notification_sent: msg`The notification is being sent or has ended. It can no longer be cancelled.`,
  no_test_devices: msg`The app has no test devices. Mark one of its devices first.`,
  push_unavailable: msg`No transport for notifications is set up on this platform.`,
  provider_in_use: msg`The provider still has apps. Delete or transfer them first.`,
  transfer_is_final: msg`This transfer can no longer be undone.`,
  owner_stays: msg`The owner cannot be unlinked. Make someone else the owner first.`,
  own_account: msg`You cannot disable your own account.`,
  last_sign_in_method: msg`This is the only way to sign in to the account. Set a password or link another identity first.`,
  identity_taken: msg`This identity belongs to another account.`,
  invalid_link_token: msg`The identity can no longer be linked. Sign in with it again to link it.`,
  wrong_password: msg`Your current password is incorrect.`,
} satisfies Record<Exclude<ProblemCode, VisitorProblem | HostAppProblem>, MessageDescriptor>)
