"""Scenes: named placed meshes, and questions about all pairs of them in many configurations."""

from . import _arrays, _kiln
from ._kiln import Tree


class Scene:
    """Named meshes on links that move, and the pairs of them that must not meet.

        scene = kiln.Scene()
        scene.add("gripper", gripper, link="hand")
        scene.add("shelf", shelf)                      # a link of its own name
        scene.collides({"hand": poses})                # [n, 4, 4]: bool [n]; links not named stand at the origin

        robot = kiln.Scene.from_urdf("arm.urdf", srdf="arm.srdf")
        robot.collides(configurations)                 # [n, len(robot.joints)]: bool [n]
        robot.min_distance(configurations)["distance"]

    Every question takes `where`: a dict of the poses of links, [4, 4] or [n, 4, 4]; or, of a robot, configurations,
    [dof] or [n, dof], in the order of `joints`; or both, as the tuple (configurations, dict), with further links in
    the dict, and the pose of the robot as that of its root. Without configurations of a robot that has joints the
    dict names all of its links that have meshes, but the root. Answers are for the pairs of `pairs`, in its order:
    meshes of the same link, and allowed pairs, are left out. With one configuration the first dimension of an answer
    is left out. Surfaces are compared, not solids.
    `threads`: 0, one for each processor, is the default.
    """

    def __init__(self):
        self._names = []
        self._meshes = {}      # name: (tree, local pose or None, link)
        self._allowed = set()  # frozensets of two names of meshes or links
        self._pairs = None
        self.robot = None      # kiln.urdf.Robot, of from_urdf
        #: of from_urdf: {mesh: how far, in metres, its mesh reaches beyond the shape that it stands for}
        self.approximations = {}

    def add(self, name, tree, pose=None, link=None):
        """Adds a mesh: a kiln.Tree (or kiln.File, for its first tree), at `pose` [4, 4] in the frame of `link`."""
        if not isinstance(name, str):
            raise TypeError("name is to be a string")
        if name in self._meshes:
            raise ValueError(f"there is a mesh {name!r} already")
        if isinstance(tree, _kiln.File):
            tree = tree[0]
        if not isinstance(tree, Tree):
            raise TypeError("tree is to be a kiln.Tree")
        if pose is not None:
            pose = _matrix(pose, "pose")
            if pose.ndim != 2:
                raise ValueError("pose is to be of shape [4, 4] or [3, 4]")
        self._meshes[name] = (tree, pose, name if link is None else link)
        self._names.append(name)
        self._pairs = None

    def remove(self, name):
        """Takes a mesh out."""
        del self._meshes[name]
        self._names.remove(name)
        self._pairs = None

    def allow(self, a, b):
        """Allows two meshes, or all meshes of two links, to meet: they are not asked about."""
        self._known(a)
        self._known(b)
        self._allowed.add(frozenset((a, b)))
        self._pairs = None

    def forbid(self, a, b):
        """Takes `allow` back."""
        self._allowed.discard(frozenset((a, b)))
        self._pairs = None

    def _known(self, name):
        if name not in self._meshes and name not in self.links and not (self.robot and name in self.robot.links):
            raise KeyError(f"there is no mesh or link {name!r}")

    @property
    def names(self):
        """Names of the meshes, in the order in which they were added."""
        return list(self._names)

    @property
    def links(self):
        """Names of the links that have meshes."""
        return list(dict.fromkeys(self._meshes[name][2] for name in self._names))

    @property
    def joints(self):
        """Names of the joints of the robot that a configuration has numbers for, in its order."""
        return list(self.robot.joints) if self.robot else []

    def tree(self, name):
        """The kiln.Tree of a mesh."""
        return self._meshes[name][0]

    def link(self, name):
        """The link of a mesh."""
        return self._meshes[name][2]

    @property
    def pairs(self):
        """The pairs that are asked about: [(name, name), ...], in the order of all answers."""
        self._pair_array()
        return [(self._names[a], self._names[b]) for a, b in self._pairs.tolist()]

    def _pair_array(self):
        if self._pairs is None:
            numpy = _arrays._numpy()
            pairs = []
            for i, a in enumerate(self._names):
                link_a = self._meshes[a][2]
                for k in range(i + 1, len(self._names)):
                    b = self._names[k]
                    link_b = self._meshes[b][2]
                    if link_a != link_b and not any(
                            frozenset((x, y)) in self._allowed for x in (a, link_a) for y in (b, link_b)):
                        pairs.append((i, k))
            self._pairs = numpy.array(pairs, numpy.uint32).reshape(-1, 2)
        return self._pairs

    def link_poses(self, where):
        """The poses of links that `where` means: {link: [4, 4] or [n, 4, 4]}, and whether it is one configuration."""
        poses = {}
        if isinstance(where, tuple) and len(where) == 2 and isinstance(where[1], dict):
            configurations, rest = where
        elif isinstance(where, dict) or where is None:
            configurations, rest = None, where or {}
        else:
            configurations, rest = where, {}
        single = True
        if configurations is not None:
            if self.robot is None:
                raise TypeError("the scene has no robot: its poses are a dict of links")
            poses, single = self.robot.forward(configurations)
        elif self.robot is not None:
            if not self.robot.joints:
                poses, single = self.robot.forward(())
            for link in self.links if self.robot.joints else ():
                if link in self.robot.links and link != self.robot.root and link not in rest:
                    raise ValueError(f"there is no pose of link {link!r} of the robot, nor are there configurations; "
                                     "(configurations, dict) has both")
        links, moved = set(self.links), set(poses)
        for link, pose in rest.items():
            if link not in links and link not in moved:
                raise KeyError(f"there is no link {link!r}")
            matrix = _matrix(pose, f"the pose of {link!r}")
            single = single and matrix.ndim == 2
            if link in moved:
                if link != self.robot.root:
                    raise ValueError(f"link {link!r} is where the configurations have it")
                for other in moved:
                    if matrix.ndim == poses[other].ndim == 3 and len(matrix) != len(poses[other]):
                        raise ValueError(f"link {link!r} has {len(matrix)} poses, and there are "
                                         f"{len(poses[other])} configurations")
                    poses[other] = _times(_arrays._numpy(), matrix, poses[other])
            else:
                poses[link] = matrix
        counts = {len(pose): link for link, pose in poses.items() if pose.ndim == 3}
        if len(counts) > 1:
            raise ValueError("; ".join(f"there are {count} poses of link {link!r}" for count, link in counts.items()))
        return poses, single

    def _ask(self, question, where, **options):
        numpy = _arrays._numpy()
        poses, single = self.link_poses(where)
        placed = []
        for name in self._names:
            tree, local, link = self._meshes[name]
            pose = poses.get(link)
            if pose is None:
                pose = local
            elif local is not None:
                pose = _times(numpy, pose, local)
            placed.append((tree, pose))
        lengths = {len(pose) for _, pose in placed if pose is not None and pose.ndim == 3}
        if not lengths and not single:
            # The robot's moving links have no meshes: every configuration is the same.
            lengths = {len(pose) for pose in poses.values() if pose.ndim == 3}
            if placed and lengths:
                tree, pose = placed[0]
                pose = numpy.eye(4) if pose is None else pose
                placed[0] = (tree, numpy.broadcast_to(pose, (next(iter(lengths)),) + pose.shape))
        answer = _kiln.batch(question, placed, self._pair_array(), **options)
        return answer[0] if single and question != "collide_any" else answer

    def collide_all(self, where, *, threads=0):
        """Which pairs meet: a structured array [n, pairs] with the fields of kiln.Hit; ["found"] is bool."""
        return self._ask("collide", where, threads=threads)

    def collides(self, where, *, threads=0):
        """Whether any pair meets: bool [n]. Each configuration ends at the first pair that does."""
        return self._ask("collide_first", where, threads=threads)["found"]

    def first_collision(self, where, *, threads=0):
        """The first pair that meets in each configuration: [n], the fields of kiln.FirstHit."""
        return self._ask("collide_first", where, threads=threads)

    def path_collision(self, where, *, threads=0):
        """The first configuration of all in which a pair meets: (its number or None, kiln.FirstHit)."""
        return self._ask("collide_any", where, threads=threads)

    def within(self, where, distance, *, threads=0):
        """Which pairs are as near as `distance`: [n, pairs], the fields of kiln.Hit."""
        return self._ask("within", where, distance=distance, threads=threads)

    def any_within(self, where, distance, *, threads=0):
        """Whether any pair is as near as `distance`: bool [n]."""
        return self._ask("within_first", where, distance=distance, threads=threads)["found"]

    def distances(self, where, *, beyond=float("inf"), relative=0.0, absolute=0.0, threads=0):
        """The distance of every pair: [n, pairs], the fields of kiln.Nearest. Options as for kiln.distance."""
        return self._ask("distance", where, beyond=beyond, relative=relative, absolute=absolute, threads=threads)

    def min_distance(self, where, *, beyond=float("inf"), relative=0.0, absolute=0.0, threads=0):
        """The nearest pair of each configuration: [n], the fields of kiln.Minimum, among them ["distance"]."""
        return self._ask("minimum", where, beyond=beyond, relative=relative, absolute=absolute, threads=threads)

    def __repr__(self):
        return f"<kiln.Scene, meshes: {len(self._names)}, joints: {len(self.joints)}>"

    @classmethod
    def from_urdf(cls, path, srdf=None, package_paths=None, *, geometry="collision", curved="refuse",
                  segments=64, allow_adjacent=True, bake=None, progress=None):
        """A robot of a URDF file, with its meshes baked.

        srdf: a path; its disable_collisions are allowed pairs.
        package_paths: for package://NAME/...: {NAME: folder}, or folders that hold packages; None: those above the
            URDF file.
        geometry: "collision" or "visual".
        curved: what becomes of spheres and cylinders, which no triangles are equal to. "refuse": UnsupportedError with
            the link's name. "outside": a mesh around the shape, so that what does not meet it does not meet the shape;
            `approximations` has how far it reaches beyond. Boxes are meshes of 12 triangles.
        segments: of a cylinder's circle; spheres have as much.
        allow_adjacent: links of one joint may meet.
        bake: options of kiln.bake for the meshes, such as {"cache": folder}; scale and up are for files of meshes
            alone.
        progress: called with the path of each mesh before it is baked.

        A mesh has the name of its <collision>, else of its link; where that is another's, LINK/NUMBER. Of a mesh that
        is scaled differently along its axes, or mirrored, triangles count anew, without user values.

        Joints: fixed, revolute, continuous, prismatic, and those that mimic others. Lengths are metres.
        """
        from . import urdf
        return urdf.scene_of(cls, path, srdf, package_paths, geometry, curved, segments, allow_adjacent,
                             bake or {}, progress)


def _matrix(pose, name):
    """A pose, or many, as float64 [4, 4] or [n, 4, 4]."""
    numpy = _arrays._numpy()
    pose = _arrays.convert(pose, "float64", name)
    if pose.ndim not in (2, 3) or pose.shape[-1] != 4 or pose.shape[-2] not in (3, 4):
        raise ValueError(f"{name} is to be of shape [4, 4] or [n, 4, 4], or [3, 4] or [n, 3, 4]")
    if pose.shape[-2] == 3:
        whole = numpy.zeros(pose.shape[:-2] + (4, 4))
        whole[..., :3, :] = pose
        whole[..., 3, 3] = 1
        pose = whole
    return pose


def _times(numpy, pose, local):
    """pose @ local, of which the product of the identity is the other, bit for bit."""
    if (local == numpy.eye(4)).all():
        return pose
    return pose @ local
