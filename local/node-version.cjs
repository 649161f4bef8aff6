// Loaded before the commands of package.json (`node -r`). Written for the oldest Node there is: all that it does there
// is to say so.
'use strict'
var oldest = 20

function problemOfNode(version) {
  if (Number(version.split('.')[0]) >= oldest) return undefined
  return (
    'callplane needs Node ' +
    oldest +
    ' or later, and this is Node ' +
    version +
    ': install a later one and run the command again'
  )
}

module.exports = { problemOfNode: problemOfNode }

var problem = problemOfNode(process.versions.node)
if (problem !== undefined) {
  console.error(problem)
  process.exit(1)
}
