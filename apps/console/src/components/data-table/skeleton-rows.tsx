/** Rows of the height that the loaded ones will have. */
export const SkeletonRows = ({ rows, columns }: { rows: number; columns: number }) =>
  Array.from({ length: rows }, (_, row) => (
    <tr key={row} aria-hidden>
      {Array.from({ length: columns }, (_, column) => (
        <td key={column}>
          <span className="skeleton">&nbsp;</span>
        </td>
      ))}
    </tr>
  ))
