import { onDemand } from '../../../../ui/kit/on-demand.tsx'

/** The code editor, which is large: it loads where it is shown. */
export const CodeEditor = onDemand(() =>
  import('./code-editor.tsx').then((file) => file.CodeEditor),
)
