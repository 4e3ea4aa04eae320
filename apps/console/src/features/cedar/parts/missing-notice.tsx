import { Trans } from '@lingui/react/macro'
import { Missing } from '../../../ui/page/missing.tsx'

/** Deleted, someone else's, or a URL that never existed: the service does not say which. */
export const MissingNotice = () => (
  <Missing
    title={<Trans>App or version not found</Trans>}
    text={<Trans>It was deleted, or it belongs to a provider that you are not a member of.</Trans>}
    list="/dashboard/cedar/mobile"
    link={<Trans>Go to my apps</Trans>}
  />
)
