package sem

// How the interpreter executes each operation of the scalar chapters. Plans say what an instruction is (Build.does); what executes
// it is looked up when code is prepared (Table.Prepare).

import (
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// handlers execute an operation with all lanes of the frame, with some of them, and once, on scalar
// slots; nil is as with all lanes.
type handlers struct{ full, part, scalar machine.Handler }

// structural has the handlers of the operations of this package that are no function of a lane.
var structural = [...]handlers{
	uop.Move32:        {copyRow32, partCopy32, scalarCopy32},
	uop.Move64:        {copyRow64, partCopy64, scalarCopy64},
	uop.Move128:       {full: copy128},
	uop.MoveVector:    {full: copyVector},
	uop.MovePredicate: {full: moveMask},
	uop.Logic:         {full: logicMask},
	uop.Select32:      {selp32, selpPart32, selpScalar32},
	uop.Select64:      {selp64, selpPart64, selpScalar64},
	uop.Pack128:       {full: pack128},
	uop.Unpack32:      {full: unpack32, scalar: unpackScalar32},
	uop.Unpack64:      {full: unpack64, scalar: unpackScalar64},
	uop.Unpack128:     {full: unpack128},
	uop.ReadSpecial:   {full: readSpecial, scalar: readSpecialScalar},
	uop.AddressLocal:  {full: localAddress, scalar: localAddressScalar},
	uop.AddressParam:  {full: paramAddress, scalar: paramAddressScalar},

	uop.Setp:          {full: setp},
	uop.Set:           {full: setRow, scalar: setScalar},
	uop.SetpHalves:    {full: setpHalves},
	uop.SetHalves:     {full: setHalves},
	uop.SetPacked:     {full: setPackedElements},
	uop.Lop3Predicate: {full: lop3Pred, scalar: lop3PredScalar},

	uop.Convert:       {full: convertRow, scalar: convertScalar},
	uop.ConvertPacked: {full: packRow, scalar: packScalar},
	uop.Widened:       {full: wideLanes},
	uop.MixedElements: {full: mixedElements},
	uop.Video:         {full: videoHandler},

	uop.Load32:            {full: load32},
	uop.Load64:            {full: load64},
	uop.LoadRows:          {full: loadRows},
	uop.LoadRows32:        {full: loadRows32},
	uop.LoadLocal:         {full: loadFrame},
	uop.LoadParam:         {full: loadParam},
	uop.LoadUniform:       {full: loadToRows, scalar: loadToSlots},
	uop.LoadHandle:        {full: loadToRows, scalar: loadToSlots},
	uop.Store32:           {full: store32},
	uop.Store64:           {full: store64},
	uop.StoreRows:         {full: storeRows},
	uop.StoreRows32:       {full: storeRows32},
	uop.StoreConst:        {full: storeConst},
	uop.StoreLocal:        {full: storeFrame},
	uop.StoreParam:        {full: storeParam},
	uop.AtomicUpdate:      {full: atomic},
	uop.AtomicExchange128: {full: exchange128},
	uop.AtomicCas:         {full: cas},
	uop.AtomicCas32:       {full: cas32},
	uop.AtomicCas128:      {full: cas128},

	uop.ShuffleUp:   {full: shuffleUp},
	uop.ShuffleDown: {full: shuffleDown},
	uop.ShuffleBfly: {full: shuffleBfly},
	uop.ShuffleIdx:  {full: shuffleIdx},
	uop.VoteAll:     {full: voteAll},
	uop.VoteAny:     {full: voteAny},
	uop.VoteUni:     {full: voteUni},
	uop.Ballot:      {full: ballot},
	uop.MatchAny:    {full: matchAny},
	uop.MatchAll:    {full: matchAll},
	uop.Redux:       {full: redux},
	uop.Elect:       {full: elect},
	uop.ActiveMask:  {full: activemask},
	uop.WarpSync:    {full: warpSync},

	uop.Branch:      {full: branch},
	uop.BranchTable: {full: branchTable},
	uop.Return:      {full: ret},
	uop.Exit:        {full: exit},
	uop.Trap:        {full: trap},
	uop.Breakpoint:  {full: (*machine.Warp).Breakpoint},
	uop.Nanosleep:   {full: nanosleep},

	uop.BarrierSync:      {full: waitBarrier},
	uop.BarrierCount:     {full: reduceCount},
	uop.BarrierPredicate: {full: reducePred},
	uop.ClusterArrive:    {full: arriveAtCluster},
	uop.ClusterWait:      {full: waitForCluster},
	uop.Fence:            {full: fence},
	uop.Nothing:          {full: nothing},

	uop.IsGlobal: {full: inGlobal},
	uop.IsConst:  {full: inConst},
	uop.IsParam:  {full: inParam},

	uop.StackSave:    {full: stacksave},
	uop.StackRestore: {full: stackrestore},
	uop.Alloca:       {full: alloca},

	uop.ChangeRegisters: {full: changeRegisters},

	uop.PolicyRange: {full: makePolicyRange},
}

// on returns what executes all lanes of the frame, and some of them; on slots both are one.
func (h handlers) on(slots bool) (full, part machine.Handler) {
	switch {
	case slots && h.scalar != nil:
		return h.scalar, h.scalar
	case h.part == nil:
		return h.full, h.full
	}
	return h.full, h.part
}

// Does says what the instruction is.
func (b *Build) Does(op uop.Op) { b.Out.Op = op }

// Nothing plans a statement that changes nothing here.
func (b *Build) Nothing() { b.Does(uop.Nothing) }
