import { Trans } from '@lingui/react/macro'
import { CopyButton } from '../../../../ui/text/copy-button.tsx'

const sampleCommand = 'npm run sample -- --devices 20000'

/** How to fill an empty list on a local machine. */
export const SampleHint = () => (
  <p>
    <Trans>
      To try a sample fleet, stop the platform and run <code>{sampleCommand}</code>
    </Trans>{' '}
    <CopyButton value={sampleCommand} />
  </p>
)
